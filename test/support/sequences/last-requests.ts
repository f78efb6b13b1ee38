// Requests after which the service closes the connection: illegal ones, and a few that ask for it.
import { filler, head } from './legal-requests.ts';
import type { Part } from './part.ts';
import type { Random } from '../random.ts';

const get = (...fields: readonly string[]) => head('GET /health HTTP/1.1', ...fields);
const target = (text: string, method = 'GET') => head(`${method} ${text} HTTP/1.1`, 'Host: a.example');
const chunked = (content: string) => get('Host: a', 'Transfer-Encoding: chunked') + content;

const HOSTS = ['', 'user@a', 'a/b', 'a?b', 'a,b', 'a b', 'a:', 'a:x', 'a:65536', ':80', 'http://a', '%zz', '[::1', '::1', '[::g]', 'a\xe9'] as const;
const TARGETS = ['*', 'a:80', 'health', '/health#a', '/\\', '/%2', '/"', '/{', '/\0', '/\x7f', '/\xc3\xa9', 'http://b.example/', 'ftp://a.example/'] as const;
const LENGTHS = ['005', '+5', '-5', '5x', '0x5', '5 5', '', '1e1'] as const;
const ENCODINGS = ['', 'identity', 'gzip, chunked', 'chunked, gzip', 'xchunked', 'chunked;q=1'] as const;
const CHUNKS = ['x\r\nabc\r\n', '-3\r\nabc\r\n', '3\r\nabcd\r\n', '3\nabc\r\n', '0\r\n X: y\r\n\r\n', 'fffffffffffffffff\r\n'] as const;
const TLS_HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';
const noise = ({ below }: Random) => Array.from({ length: 1 + below(300) }, () => String.fromCharCode(128 + below(128))).join('');

type Kind = readonly [status: number, bytes: (random: Random) => string];

const connect: Kind = [501, () => target('a.example:80', 'CONNECT')];

const KINDS: readonly [Kind, ...Kind[]] = [
  [200, () => get('Host: a', 'Connection: close')],
  [200, () => head('GET /health HTTP/1.0')],
  [200, () => get('Host: a', 'Connection: Upgrade', 'Upgrade: websocket')],
  [200, () => get('Host: a', 'Content-Length: 5', 'Expect: 100-continue')],
  [400, ({ pick }) => get(`Host: ${pick(HOSTS)}`)],
  [400, ({ pick }) => target(pick(TARGETS), pick(['GET', 'POST']))],
  [400, ({ pick }) => `${get('Host: a', `Content-Length: ${pick(LENGTHS)}`)}12345`],
  [400, ({ pick }) => `${get('Host: a', `Transfer-Encoding: ${pick(ENCODINGS)}`)}0\r\n\r\n`],
  [400, ({ pick }) => chunked(pick(CHUNKS))],
  [400, ({ pick }) => chunked('3\r\nabc\r\n'.repeat(100) + pick(CHUNKS))],
  [400, () => `${get('Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  [400, () => get()],
  [400, ({ below }) => get('Host: a', ...filler(below(90)), 'host: b')],
  [400, () => 'GET /health HTTP/1.1\nHost: a\n\n'],
  [400, ({ pick }) => get('Host: a', pick(['X', ': x', 'X y: z', 'X : a', 'X: a\0b', 'X: a\r\n b']))],
  [400, () => TLS_HELLO],
  [400, (random) => `${noise(random)}\r\n\r\n`],
  connect,
  [413, ({ pick }) => get('Host: a', `Content-Length: ${pick(['65537', '9'.repeat(30)])}`)],
  [413, ({ below }) => get('Host: a', 'Content-Length: 99999999') + 'x'.repeat(below(100_000))],
  [413, () => chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`)],
  [400, () => chunked(`3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`)],
  [417, ({ pick }) => get('Host: a', `Expect: ${pick(['tea', '', '100-continue, tea'])}`)],
  [431, ({ below }) => get('Host: a', ...filler(100 + below(1_000)))],
  [431, ({ below }) => get('Host: a', `X: ${'x'.repeat(16_384 + below(50_000))}`)],
  [414, () => target(`/${'x'.repeat(16_384)}`)],
  [505, ({ pick }) => head(`GET /health HTTP/${pick(['0.9', '1.2', '2.0', '3.0'])}`, 'Host: a')],
  [505, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
];

/** A request of any kind that ends the connection. */
export function lastRequest(random: Random): Part {
  return partOf(random.pick(KINDS), random);
}

// Requests that end the connection by another path through node's code than ordinary requests do.
const NOTABLE: readonly [Kind, ...Kind[]] = [
  connect, connect, connect, connect,
  [200, () => get('Host: a', 'Connection: Upgrade', 'Upgrade: websocket')],
  [200, () => get('Host: a', 'Expect: 100-continue', 'Content-Length: 5')],
  [200, () => get('Host: a', 'Connection: close')],
  [200, () => `${get('Host: a', 'Connection: close', 'Content-Length: 5')}12345`],
  [400, () => get()],
  [400, () => chunked('3\r\nabcd\r\n')],
  [413, () => get('Host: a', 'Content-Length: 65537')],
];

/** One of the requests that end the connection in an unusual way. */
export function notableLastRequest(random: Random): Part {
  return partOf(random.pick(NOTABLE), random);
}

/** A request to upgrade with content, which may be malformed or not complete: nobody looks at it. */
export function upgradeWithContent(random: Random): Part {
  const fields = ['Host: a', 'Connection: Upgrade', 'Upgrade: h2c'];
  const kind: Kind = random.pick<Kind>([
    [200, ({ below }) => `${get(...fields, 'Content-Length: 5')}${'x'.repeat(below(6))}`],
    [200, ({ pick }) => `${get(...fields, 'Transfer-Encoding: chunked')}${pick(CHUNKS)}`],
  ]);
  return partOf(kind, random);
}

function partOf([status, bytes]: Kind, random: Random): Part {
  return { bytes: bytes(random), status, body: status === 200 ? 'Healthy' : '', isLast: true };
}
