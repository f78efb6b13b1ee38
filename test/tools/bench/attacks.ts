// The attacks, and the work of a crowd: what each client of them sends.
import { requestBytes } from '../../support/exchange.ts';
import { LONG_HEAD } from './requests.ts';

type Attack = {
  /** What a client sends first on each connection, and what it sends next. */
  readonly first: Buffer;
  readonly more: Buffer;
  /** What it does then: it sends `more` again and again, or once for each reply; it waits; or it disconnects as soon as it is connected. */
  readonly then: 'more' | 'more for a reply' | 'wait' | 'disconnect';
  /** Whether it reads what the server sends, and discards it. */
  readonly reads: boolean;
  readonly isTls: boolean;
};

const SEND_BYTES = 64 * 1024; // at least, at once
const get = (query: string, fields: readonly string[]) => requestBytes('GET', `/api/greetings${query}`, fields);
const GREETING = get('', []);
const CHUNKED = requestBytes('POST', '/api/greetings', ['Transfer-Encoding: chunked']);
const CHUNK = '1\r\na\r\n';
const IN_CHUNKS = `${CHUNKED}${CHUNK.repeat(320)}0\r\n\r\n`; // 2 KB, and among the requests of that length the one that costs most
const WITH_CONTENT = requestBytes('POST', '/api/greetings', ['Content-Length: 64000']) + 'x'.repeat(64_000);

/** The attacks of `--attack`, by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map([
  ['chunks of one byte', withoutEnd(CHUNKED, CHUNK)],
  ['empty lines', withoutEnd('', '\r\n')],
  ['chunk extensions', withoutEnd(CHUNKED, `1;${'x'.repeat(15 * 1024)}\r\na\r\n`)],
  ['after a refusal', attack(`GET /api/greetings HTTP/1.1\r\n\r\n${'x'.repeat(400_000)}`, '', 'wait')],
  ['long queries', withoutEnd('', get(`?${'a&'.repeat(7_900)}`, []))], // each is less than 16 KiB
  ['pipelined requests', { ...attack(GREETING.repeat(8_000), '', 'wait'), reads: false }],
  ['heads of 95 lines', withoutEnd('', get('', Array.from({ length: 94 }, (_, i) => `x${i}: 1`)))],
  ['chunks of line ends', withoutEnd(CHUNKED, `2000\r\n${'\r\n'.repeat(0x1000)}\r\n`)],
]);

/** What clients do, by name: the attacks, and what the crowds of `--crowd` do. All of that is legal. */
export const WORK: ReadonlyMap<string, Attack> = new Map([
  ...ATTACKS,
  ['short', attack('', GREETING, 'more for a reply')],
  ['chunks', attack('', IN_CHUNKS, 'more for a reply')],
  ['content', attack('', WITH_CONTENT, 'more for a reply')],
  ['heads', attack('', LONG_HEAD, 'more for a reply')],
  ['TLS heads', { ...attack('', LONG_HEAD, 'more for a reply'), isTls: true }],
  ['handshakes', { ...attack('', '', 'disconnect'), isTls: true }],
  ['pipelined TLS', { ...attack(GREETING.repeat(8_000), '', 'wait'), reads: false, isTls: true }],
]);

function withoutEnd(first: string, repeated: string): Attack {
  return attack(first, repeated.repeat(Math.ceil(SEND_BYTES / repeated.length)), 'more');
}

function attack(first: string, more: string, then: Attack['then']): Attack {
  return { first: Buffer.from(first), more: Buffer.from(more), then, reads: true, isTls: false };
}
