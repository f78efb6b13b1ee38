// The requests of the simulation, each with the reply that it must get.
import { filler, head, legalRequest } from '../../support/sequences/legal-requests.ts';
import { lastRequest, upgradeWithContent } from '../../support/sequences/last-requests.ts';
import type { Part } from '../../support/sequences/part.ts';
import type { Random } from '../../support/random.ts';

const target = (line: string, ...fields: readonly string[]) => head(line, 'Host: a', ...fields);
const healthy = (bytes: string): Part => ({ bytes, status: 200, body: 'Healthy', isLast: false });
const empty = (status: number, bytes: string): Part => ({ bytes, status, body: '', isLast: false });
const last = (part: Part): Part => ({ ...part, isLast: true });

/** A request for a greeting with `number` in it, so that the reply shows which request it answers. */
export function greeting(number: number): Part {
  return { bytes: target(`GET /api/greetings?name=${number} HTTP/1.1`), status: 200, body: `{"message":"Hello, ${number}!"`, isLast: false };
}

export const withContent = (number: number) => ({ ...greeting(number), bytes: target(`GET /api/greetings?name=${number} HTTP/1.1`, 'Content-Length: 5') + 'a\r\nb\r' });
export const illegalHead = () => last(empty(400, target('GET /health HTTP/1.1', 'Host: b')));
export const lastGreeting = (number: number) => last({ ...greeting(number), bytes: target(`GET /api/greetings?name=${number} HTTP/1.1`, 'Connection: close') });

export const behindEmptyLines = (number: number) => ({ ...greeting(number), bytes: `\r\n\r\n${greeting(number).bytes}` });

/** A request whose content is one byte too long and ends behind that byte. */
export const withTooMuchContent = () => last(empty(413, `${target('GET /health HTTP/1.1', 'Transfer-Encoding: chunked')}10001\r\n${'x'.repeat(65_537)}\r\n0\r\n\r\n`));

const CHUNKS = '3;x=y\r\nabc\r\n4\r\n\r\n\r\n\r\n0\r\n';

const LEGAL = [
  greeting, greeting, greeting, greeting, withContent, withContent,
  () => healthy(target('GET /health HTTP/1.1')),
  behindEmptyLines, behindEmptyLines,
  () => healthy(`${target('GET /health HTTP/1.1', 'Transfer-Encoding: chunked')}${CHUNKS}\r\n`),
  () => healthy(`${target('GET /health HTTP/1.1', 'Transfer-Encoding: chunked')}${CHUNKS}X: y\r\n\r\n`),
  () => healthy(head('GET /health HTTP/1.0', 'Connection: keep-alive')),
  () => empty(404, target('GET /nope HTTP/1.1')),
  () => empty(404, target('OPTIONS * HTTP/1.1')),
  () => empty(405, `${target('POST /health HTTP/1.1', 'Content-Length: 4')}\r\n\r\n`),
  () => empty(405, target('HEAD /health HTTP/1.1')),
  () => empty(405, target('BREW /health HTTP/1.1')),
  () => empty(404, `${target('PLAY /nope HTTP/1.1', 'Content-Length: 3')}abc`),
  () => healthy(`${target('GET /health HTTP/1.1', 'Transfer-Encoding: chunked')}0\r\nConnection: close\r\n\r\n`),
  (number: number): Part => ({ bytes: target(`GET /api/greetings?${number}&name= HTTP/1.1`), status: 400, body: '{"type":"https://tools.ietf.org/', isLast: false }),
] as const;

const LAST = [
  lastGreeting, illegalHead,
  () => last(healthy(head('GET /health HTTP/1.0'))),
  () => last(healthy(target('GET /health HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'))),
  () => last(healthy(target('GET /health HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 5'))),
  () => last(healthy(`${target('GET /health HTTP/1.1', 'Connection: close', 'Content-Length: 5')}12345`)),
  () => last(empty(501, target('CONNECT a:80 HTTP/1.1'))),
  () => last(empty(400, head('GET /health HTTP/1.1'))),
  () => last(empty(400, 'GET /health HTTP/1.1\nHost: a\n\n')),
  () => last(empty(400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')),
  () => last(empty(400, `${target('GET /health HTTP/1.1', 'Transfer-Encoding: chunked')}3\r\nabcd\r\n`)),
  () => last(empty(400, `${target('GET /health HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`)),
  () => last(empty(413, target('GET /health HTTP/1.1', 'Content-Length: 65537'))),
  () => last(empty(417, target('GET /health HTTP/1.1', 'Expect: tea'))),
  () => last(empty(431, target('GET /health HTTP/1.1', ...filler(100)))),
  () => last(empty(505, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
  () => last(empty(414, `GET /${'x'.repeat(16_384)}`)),
  () => last(empty(505, target('GET /health HTTP/2.0'))),
] as const;

/** A random request after which the connection stays open. */
export function randomLegal(random: Random, number: number): Part {
  return random.below(40) === 0 ? legalRequest(random) : random.pick<(number: number) => Part>(LEGAL)(number);
}

/** A random request that ends the connection. */
export function randomLast(random: Random, number: number): Part {
  if (random.below(40) === 0) return random.pick([lastRequest, lastRequest, upgradeWithContent])(random);
  return random.pick<(number: number) => Part>(LAST)(number);
}
