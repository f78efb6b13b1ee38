// Requests after which the service closes the connection: illegal ones, and a few that ask for it.
import type { Random } from '../random.ts';
import type { Part } from './part.ts';
import { empty, filler, head, healthy, illegalHead, last, lastGreeting, target, withTooMuchContent } from './requests.ts';

type Kind = (random: Random, number: number) => Part;

const get = (...fields: readonly string[]) => target('GET /health HTTP/1.1', ...fields);
const chunked = (content: string) => get('Transfer-Encoding: chunked') + content;
const refused = (status: number, bytes: (random: Random) => string): Kind => (random) => empty(status, bytes(random));

const HOSTS = ['', 'user@a', 'a/b', 'a?b', 'a,b', 'a b', 'a:', 'a:x', 'a:65536', ':80', 'http://a', '%zz', '[::1', '::1', '[::g]', 'a\xe9'] as const;
const TARGETS = ['*', 'a:80', 'health', '/health#a', '/\\', '/%2', '/"', '/{', '/\0', '/\x7f', '/\xc3\xa9', 'http://b.example/', 'ftp://a.example/'] as const;
const LENGTHS = ['005', '+5', '-5', '5x', '0x5', '5 5', '', '1e1'] as const;
const ENCODINGS = ['', 'identity', 'chunked, gzip', 'xchunked', 'chunked;q=1'] as const;
const CHUNKS = ['x\r\nabc\r\n', '-3\r\nabc\r\n', '3\r\nabcd\r\n', '3\nabc\r\n', '0\r\n X: y\r\n\r\n', 'fffffffffffffffff\r\n'] as const;
const TLS_HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';

const SHORT: readonly [Kind, ...Kind[]] = [
  (_, number) => lastGreeting(number),
  (_, number) => lastGreeting(number),
  illegalHead,
  () => healthy(head('GET /health HTTP/1.0')),
  () => healthy(`${get('Connection: close', 'Content-Length: 5')}12345`),
  // Content behind such a request may be malformed or not complete: nobody looks at it.
  ({ below }) => healthy(`${get('Content-Length: 5', 'Expect: 100-continue')}${'x'.repeat(below(6))}`),
  ({ pick }) => healthy(`${get('Transfer-Encoding: chunked', 'Expect: 100-continue')}${pick(CHUNKS)}`),
  refused(400, () => head('GET /health HTTP/1.1')),
  refused(400, ({ pick }) => head('GET /health HTTP/1.1', `Host: ${pick(HOSTS)}`)),
  refused(400, ({ pick }) => head(`${pick(['GET', 'POST'])} ${pick(TARGETS)} HTTP/1.1`, 'Host: a.example')),
  refused(400, ({ pick }) => `${get(`Content-Length: ${pick(LENGTHS)}`)}12345`),
  refused(400, ({ pick }) => `${get(`Transfer-Encoding: ${pick(ENCODINGS)}`)}0\r\n\r\n`),
  refused(400, ({ pick }) => chunked(pick(CHUNKS))),
  refused(400, () => `${get('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  refused(400, () => 'GET /health HTTP/1.1\nHost: a\n\n'),
  refused(400, ({ pick }) => get(pick(['X', ': x', 'X y: z', 'X : a', 'X: a\0b', 'X: a\r\n b']))),
  refused(400, () => TLS_HELLO),
  refused(413, ({ pick }) => get(`Content-Length: ${pick(['65537', '9'.repeat(30)])}`)),
  refused(417, ({ pick }) => get(`Expect: ${pick(['tea', '', '100-continue, tea'])}`)),
  refused(431, () => get(...filler(100))),
  refused(501, () => `${get('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`),
  refused(501, () => target('CONNECT a.example:80 HTTP/1.1')),
  refused(505, ({ pick }) => target(`GET /health HTTP/${pick(['0.9', '2.0', '3.0'])}`)),
  refused(505, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
];

const noise = ({ below }: Random) => Array.from({ length: 1 + below(300) }, () => String.fromCharCode(128 + below(128))).join('');

const LONG: readonly [Kind, ...Kind[]] = [
  withTooMuchContent,
  refused(400, (random) => `${noise(random)}\r\n\r\n`),
  refused(400, ({ pick }) => chunked('3\r\nabc\r\n'.repeat(100) + pick(CHUNKS))),
  refused(400, ({ below }) => get(...filler(below(90)), 'host: b')),
  refused(400, () => chunked(`3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`)),
  refused(413, ({ below }) => get('Content-Length: 99999999') + 'x'.repeat(below(100_000))),
  refused(413, () => chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`)),
  refused(414, () => `GET /${'x'.repeat(16_384)}`),
  refused(414, () => target(`GET /${'x'.repeat(16_384)} HTTP/1.1`)),
  refused(431, ({ below }) => get(...filler(100 + below(1_000)))),
  refused(431, ({ below }) => get(`X: ${'x'.repeat(16_384 + below(50_000))}`)),
];

/** A request that ends the connection. `number` makes it another one than others in the sequence. */
export function lastRequest(random: Random, number: number): Part {
  return last(random.pick(random.below(20) === 0 ? LONG : SHORT)(random, number));
}
