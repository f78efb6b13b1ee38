// Requests that many sequences have, and what all requests are made of.
import type { Part } from './part.ts';

/** A head of these lines, each with its line break, and the empty line. */
export const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
/** The same, with a host. */
export const target = (line: string, ...fields: readonly string[]) => head(line, 'Host: a', ...fields);
export const filler = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: ${i}`);

export const replied = (status: number, body: string, bytes: string): Part => ({ bytes, reply: { status, body, isLast: false } });
export const healthy = (bytes: string) => replied(200, 'Healthy', bytes);
export const empty = (status: number, bytes: string) => replied(status, '', bytes);
/** The same request, after which the service closes the connection. */
export const last = ({ bytes, reply }: Part): Part => ({ bytes, reply: reply && { ...reply, isLast: true } });

/** A request for a greeting with `number` in it, so that the reply shows which request it answers. */
export function greeting(number: number, ...fields: readonly string[]): Part {
  return replied(200, `{"message":"Hello, ${number}!"`, target(`GET /api/greetings?name=${number} HTTP/1.1`, ...fields));
}

export const greetings = (from: number, count: number): Part[] => Array.from({ length: count }, (_, i) => greeting(from + i));

/** Of its content, every piece may look like an empty line. */
export function withContent(number: number): Part {
  const part = greeting(number, 'Content-Length: 5');
  return { ...part, bytes: `${part.bytes}a\r\nb\r` };
}

export const lastGreeting = (number: number) => last(greeting(number, 'Connection: close'));

export function behindEmptyLines(number: number): Part {
  const part = greeting(number);
  return { ...part, bytes: `\r\n\r\n${part.bytes}` };
}

export const illegalHead = () => last(empty(400, target('GET /health HTTP/1.1', 'Host: b')));

/** A request whose content is one byte too long and ends behind that byte. */
export function withTooMuchContent(): Part {
  const chunk = `10001\r\n${'x'.repeat(65_537)}\r\n`;
  return last(empty(413, `${target('GET /health HTTP/1.1', 'Transfer-Encoding: chunked')}${chunk}0\r\n\r\n`));
}
