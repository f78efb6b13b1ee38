// The attacks: what each client sends, how many they are, and how long an honest client may wait meanwhile.
import { requestBytes } from '../../support/exchange.ts';

/**
 * What a client sends on each connection at first, and then again and again (if nothing, it disconnects); whether each
 * byte of that is a write of its own (over TLS, a record); whether it reads nothing, or resets at once. It replaces
 * what has closed.
 */
export type Work = Readonly<{
  first?: string; more?: string; isByteByByte?: boolean; isDeaf?: boolean; resets?: boolean;
}>;

/** So many clients do this work, or are those of records.c, and come from so many addresses. */
export type Clients = readonly [count: number, work: keyof typeof WORKS | 'records', addresses?: number];

export type Attack = How & Readonly<{ name: string; clients: readonly Clients[] }>;

const get = (query = '', fields: readonly string[] = []) => requestBytes('GET', `/api/greetings${query}`, fields);
const post = (field: string, content: string) => requestBytes('POST', '/api/greetings', [field]) + content;
const chunked = (content: string) => post('Transfer-Encoding: chunked', content);
const LINES = Array.from({ length: 94 }, (_, i) => `x${i}: 1`);
const REFUSED = 'GET /api/greetings HTTP/1.1\r\n\r\n'; // without Host

/** By name. What is sent again and again is legal, except `x`, and accepted by the service. */
export const WORKS = {
  'pipelined requests': { more: get() },
  'chunks of one byte': { more: chunked(`${'1\r\na\r\n'.repeat(60_000)}0\r\n\r\n`) },
  'chunk extensions': { more: chunked(`${`1;${'x'.repeat(15_000)}\r\na\r\n`.repeat(50)}0\r\n\r\n`) },
  'heads of 95 lines': { more: get('', LINES) },
  'empty lines': { more: '\r\n' },
  'long queries': { more: get(`?${'a&'.repeat(7_900)}`) },
  trailers: { more: chunked(`0\r\n${LINES.join('\r\n')}\r\n\r\n`) },
  'Expect lines': { more: get('', LINES.map(() => 'Expect: ,')) },
  'refused requests': { first: REFUSED },
  'after the last reply': { first: REFUSED, more: 'x' },
  'after a 413': { first: post('Content-Length: 1000000000', ''), more: 'x' },
  content: { more: post('Content-Length: 64000', 'x'.repeat(64_000)) },
  handshakes: {},
  'one byte': { more: get(), isByteByByte: true },
  reconnecting: { first: get('', ['Connection: close']) },
  'sending and resetting': { first: get().repeat(200), resets: true },
  'reading nothing': { first: get().repeat(8_000), isDeaf: true },
} satisfies Record<string, Work>;

// The bounds of an honest client's waits, and of how many of its requests fail; and how the server is started.
const FEW = { medianMs: 10, worstMs: 100, failed: 0, isTls: false, heapMiB: 2_000 };
const FEW_TLS = { ...FEW, medianMs: 20, isTls: true };
const FROM_C = { ...FEW_TLS, medianMs: 50, worstMs: 300, heapMiB: 64 };
const MANY = { ...FEW, medianMs: 50, worstMs: 250 };
const DEAF = { ...FEW, heapMiB: 64, peakMiB: 128 }; // with a bound of the server's memory
type How = Readonly<typeof FEW & { peakMiB?: number }>;
const attack = (name: string, how: How, ...clients: Clients[]): Attack => ({ name, clients, ...how });
const few = (work: keyof typeof WORKS) => attack(work, FEW, [75, work]);

export const ATTACKS: readonly Attack[] = [
  few('pipelined requests'), few('chunks of one byte'), few('chunk extensions'), few('heads of 95 lines'),
  few('empty lines'), few('long queries'), few('trailers'), few('Expect lines'), few('refused requests'),
  few('after the last reply'), few('after a 413'), few('content'), few('sending and resetting'),
  attack('TLS, pipelined requests', FEW_TLS, [75, 'pipelined requests']),
  attack('TLS, handshakes', FEW_TLS, [75, 'handshakes']),
  attack('TLS, records of one byte', FEW_TLS, [75, 'one byte']),
  attack('TLS, records of one byte from C', FROM_C, [75, 'records']),
  attack('900, after the last reply', MANY, [900, 'after the last reply']),
  attack('900, writes of one byte', MANY, [900, 'one byte']),
  attack('900, empty lines', MANY, [900, 'empty lines']),
  attack('300 pipelining and 600 reconnecting', MANY, [300, 'pipelined requests'], [600, 'reconnecting']),
  attack('300 with writes of one byte and 600 reconnecting', MANY, [300, 'one byte'], [600, 'reconnecting']),
  attack('900, reconnecting', MANY, [900, 'reconnecting']),
  attack('900, pipelining from 190 addresses', MANY, [900, 'pipelined requests', 190]),
  attack('100, pipelining 400 KB and reading nothing', DEAF, [100, 'reading nothing']),
];
