// Requests after which the connection stays open, each with the reply that it must get.
import type { Random } from '../random.ts';
import type { Part } from './part.ts';

/** A head of these lines, each with its line break, and the empty line. */
export const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
export const filler = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: ${i}`);

const NAMES = ['Ada Lovelace', 'Grace', 'Zoë', 'Øystein', '李小龍', '🦊 fox', 'O\'Hara & "Sons"', '<script>', 'a'.repeat(80)] as const;
const BAD_NAMES = ['', '%20', '+++', '%E3%80%80', 'a'.repeat(81), '%F0%9F%A6%8A'.repeat(81), 'b'.repeat(8_000)] as const;
const HOSTS = ['localhost', '127.0.0.1:8080', '[::1]:80', 'a.example', 'my_service_1', "a%20b!$&'()*+;=~"] as const;

const get = (target: string, random: Random, ...fields: readonly string[]) =>
  head(`GET ${target} HTTP/1.1`, `Host: ${random.pick(HOSTS)}`, ...fields);

function greeting(random: Random): Part {
  // Nearly every name is new, so that memory kept for each name would be seen.
  const name = `${random.pick(NAMES).slice(0, 70)} ${random.below(1e9)}`;
  const bytes = get(`/api/greetings?name=${encodeURIComponent(name)}`, random);
  return { bytes, status: 200, body: `{"message":${JSON.stringify(`Hello, ${name}!`)}`, isLast: false };
}

function badName(random: Random): Part {
  const bytes = get(`/api/greetings?${random.below(1e9)}&name=${random.pick(BAD_NAMES)}`, random, traceparent(random));
  return { bytes, status: 400, body: '{"type":"https://tools.ietf.org/', isLast: false };
}

function traceparent({ below }: Random): string {
  return `traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-${(below(2 ** 32) + 1).toString(16).padStart(16, '0')}-0${below(3)}`;
}

function content(random: Random): Part {
  const length = random.below(random.pick([10, 100, 1_000, 65_537]));
  return healthy(get('/health', random, `Content-Length: ${length}`) + 'x'.repeat(length));
}

function chunks(random: Random): Part {
  const length = 1 + random.below(1_000);
  const chunk = `${length.toString(16)}${random.pick(['', ';a=b', ';a="b c"', ' ; a\t= b'])}\r\n${'x'.repeat(length)}\r\n`;
  const trailers = random.pick(['', 'X: y\r\n', 'Connection: close\r\n']);
  return healthy(get('/health', random, 'Transfer-Encoding: chunked') + chunk.repeat(1 + random.below(5)) + `0\r\n${trailers}\r\n`);
}

function notAllowed(random: Random): Part {
  const method = random.pick(['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'BREW', 'PLAY', 'PRI', 'get']);
  return empty(405, head(`${method} ${random.pick(['/health', '/api/greetings?name='])} HTTP/1.1`, 'Host: a', 'Content-Length: 2') + '{}');
}

const healthy = (bytes: string): Part => ({ bytes, status: 200, body: 'Healthy', isLast: false });
const empty = (status: number, bytes: string): Part => ({ bytes, status, body: '', isLast: false });

const KINDS = [
  greeting, greeting, greeting, greeting, greeting, badName, badName, content, chunks, notAllowed,
  (random: Random) => healthy(get('/health', random)),
  (random: Random) => healthy(get(random.pick(['/health?', `/health?${random.below(1e9)}`, "/health?{}|^<>`[]'"]), random)),
  (random: Random) => healthy(head('GET HTTP://a.example/health HTTP/1.1', 'Host: a.example', traceparent(random))),
  (random: Random) => healthy(get('/health', random, ...filler(random.below(99)), traceparent(random))),
  (random: Random) => healthy(get('/health', random, `Cookie: ${'c'.repeat(random.below(16_000))}`)),
  (random: Random) => healthy(head('GET /health HTTP/1.0', 'Connection: keep-alive', `X: ${random.below(9)}`)),
  (random: Random) => empty(404, get(`/nope/${random.below(1e9)}`, random)),
  (random: Random) => empty(404, get(random.pick(['/', '//health', '/health/', '/HEALTH', '/api/../health', '/%68ealth', '/openapi/v1.json']), random)),
  () => empty(404, head('OPTIONS * HTTP/1.1', 'Host: a')),
  (random: Random) => ({ bytes: get('/api/greetings', random), status: 200, body: '{"message":"Hello, World!"', isLast: false }),
] as const;

/** A request of any kind that leaves the connection open. */
export function legalRequest(random: Random): Part {
  return random.pick<(random: Random) => Part>(KINDS)(random);
}

/** A legal request that takes much memory: a long target, many long fields, and content with long trailers. */
export function largeRequest(random: Random): Part {
  const lines = (count: number) => Array.from({ length: random.below(count) }, (_, i) => `X-${i}: ${'y'.repeat(random.below(140))}`);
  const fields = [...lines(90), 'Transfer-Encoding: chunked'];
  const trailers = [...lines(90), '', ''].join('\r\n');
  return empty(404, `${get(`/${'a'.repeat(random.below(2_000))}`, random, ...fields)}1\r\nx\r\n0\r\n${trailers}`);
}
