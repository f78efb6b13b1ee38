// Requests after which the connection stays open.
import type { Random } from '../random.ts';
import type { Part } from './part.ts';
import { behindEmptyLines, empty, filler, greeting, head, healthy, replied, target, withContent } from './requests.ts';

type Kind = (random: Random, number: number) => Part;

const NAMES = ['Ada Lovelace', 'Grace', 'Zoë', 'Øystein', '李小龍', '🦊 fox', 'O\'Hara & "Sons"', '<script>', 'a'.repeat(80)] as const;
const BAD_NAMES = ['', '%20', '+++', '%E3%80%80', 'a'.repeat(81), '%F0%9F%A6%8A'.repeat(81), 'b'.repeat(8_000)] as const;
const HOSTS = ['localhost', '127.0.0.1:8080', '[::1]:80', 'a.example', 'my_service_1', "a%20b!$&'()*+;=~"] as const;
const UNKNOWN_PATHS = ['/', '//health', '/health/', '/HEALTH', '/api/../health', '/%68ealth', '/openapi/v1.json'] as const;
const PROBLEM = '{"type":"https://tools.ietf.org/';

const get = (path: string, random: Random, ...fields: readonly string[]) =>
  head(`GET ${path} HTTP/1.1`, `Host: ${random.pick(HOSTS)}`, ...fields);
const number = ({ below }: Random) => below(1e9);

function traceparent({ below }: Random): string {
  return `traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-${(below(2 ** 32) + 1).toString(16).padStart(16, '0')}-0${below(3)}`;
}

// Short ones.
const CHUNKED = target('GET /health HTTP/1.1', 'Transfer-Encoding: chunked');
const CHUNKS = '3;x=y\r\nabc\r\n4\r\n\r\n\r\n\r\n0\r\n';

const SHORT: readonly [Kind, ...Kind[]] = [
  (_, i) => greeting(i),
  (_, i) => greeting(i),
  (_, i) => greeting(i),
  (_, i) => greeting(i),
  (_, i) => withContent(i),
  (_, i) => withContent(i),
  (_, i) => behindEmptyLines(i),
  (_, i) => behindEmptyLines(i),
  () => healthy(target('GET /health HTTP/1.1')),
  () => healthy(`${CHUNKED}${CHUNKS}\r\n`),
  () => healthy(`${CHUNKED}${CHUNKS}X: y\r\n\r\n`),
  () => healthy(`${CHUNKED}0\r\nConnection: close\r\n\r\n`),
  () => healthy(head('GET /health HTTP/1.0', 'Connection: keep-alive')),
  () => healthy(`${target('GET /health HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 3')}abc`),
  () => healthy(target('GET /health HTTP/1.1', 'Expect: 100-continue')),
  () => healthy(target('GET /health HTTP/1.2')),
  () => empty(404, target('GET /nope HTTP/1.1')),
  () => empty(404, target('OPTIONS * HTTP/1.1')),
  () => empty(404, `${target('PLAY /nope HTTP/1.1', 'Content-Length: 3')}abc`),
  () => empty(405, `${target('POST /health HTTP/1.1', 'Content-Length: 4')}\r\n\r\n`),
  () => empty(405, target('HEAD /health HTTP/1.1')),
  (_, i) => replied(400, PROBLEM, target(`GET /api/greetings?${i}&name= HTTP/1.1`)),
];

// Long ones, and those with many variants. Nearly every name is new, so that memory kept for each name would be seen.
function greetingOfName(random: Random): Part {
  const name = `${random.pick(NAMES).slice(0, 70)} ${number(random)}`;
  return replied(200, `{"message":${JSON.stringify(`Hello, ${name}!`)}`, get(`/api/greetings?name=${encodeURIComponent(name)}`, random));
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
  return empty(405, target(`${method} ${random.pick(['/health', '/api/greetings?name='])} HTTP/1.1`, 'Content-Length: 2') + '{}');
}

/** It takes much memory: a long target, many long fields, and content with long trailers. */
function large(random: Random): Part {
  const lines = (count: number) => Array.from({ length: random.below(count) }, (_, i) => `X-${i}: ${'y'.repeat(random.below(140))}`);
  const fields = [...lines(90), 'Transfer-Encoding: chunked'];
  return empty(404, `${get(`/${'a'.repeat(random.below(2_000))}`, random, ...fields)}1\r\nx\r\n0\r\n${head(...lines(90))}`);
}

const VARIED: readonly [Kind, ...Kind[]] = [
  greetingOfName, greetingOfName, greetingOfName, content, chunks, notAllowed, large, large,
  (random) => replied(400, PROBLEM, get(`/api/greetings?${number(random)}&name=${random.pick(BAD_NAMES)}`, random, traceparent(random))),
  (random) => replied(200, '{"message":"Hello, World!"', get('/api/greetings', random)),
  (random) => healthy(get(random.pick(['/health', '/health?', `/health?${number(random)}`, "/health?{}|^<>`[]'\\"]), random)),
  (random) => healthy(head('GET HTTP://a.example/health HTTP/1.1', 'Host: a.example', traceparent(random))),
  (random) => healthy(get('/health', random, ...filler(random.below(99)), traceparent(random))),
  (random) => healthy(get('/health', random, `Cookie: ${'c'.repeat(random.below(16_000))}`)),
  (random) => empty(404, get(random.pick(UNKNOWN_PATHS), random)),
  (random) => empty(404, get(`/nope/${number(random)}`, random)),
];

/** A request that leaves the connection open. `i` makes it another one than others in the sequence. */
export function legalRequest(random: Random, i: number): Part {
  return random.pick(random.below(16) === 0 ? VARIED : SHORT)(random, i);
}

/** One of many variants, most of them long. */
export function variedRequest(random: Random): Part {
  return random.pick(VARIED)(random, 0);
}
