// The attacks: what each client sends, how many they are, and how long an honest client may wait meanwhile.
import { CLOSE, get, post } from '../../support/exchange.ts';
import type { Environment } from '../../support/process.ts';
import { PATH, TARGET } from '../api.ts';

/**
 * What a client sends on each connection at first (`#` is its number), and then again and again (if nothing, it
 * disconnects); whether each byte of that is a write of its own (over TLS, a record); whether it reads nothing; when it
 * resets. What has closed is replaced. All send what they have prepared at the same time: with `splitsHello`, the rest
 * of the message with which TLS begins, after one byte; with `updatesKeys`, 60,000 bytes of key updates.
 */
export type Work = Readonly<{
  first?: string; more?: string; isByteByByte?: boolean; isDeaf?: boolean; resetAfterMs?: number;
  splitsHello?: boolean; updatesKeys?: boolean;
}>;

/** So many clients do this work, and come from so many addresses. */
export type Clients = readonly [count: number, work: keyof typeof WORKS, addresses?: number];

/**
 * Clients; how the server is started, over TLS perhaps with a key of RSA, and if it `isCold` with nothing asked before;
 * what is before it; and bounds of waits, failures and the server's memory.
 */
export type Attack = Readonly<{
  name: string; clients: readonly Clients[];
  isTls?: boolean; isRsa?: boolean; isCold?: boolean; heapMiB?: number; env?: Environment;
  script?: string; // a server in this folder, in place of the service
  asks?: string; // what the honest client asks for, by default /health
  haproxy?: string; // before the server, on TCP, with these options for it
  medianMs?: number; worstMs?: number; failed?: number; peakMiB?: number;
}>;

const GET = get(TARGET);
const posting = (field: string, content: string) => post(PATH, field) + content;
const CHUNKED = 'Transfer-Encoding: chunked';
const chunked = (content: string) => posting(CHUNKED, content);
const LINES = Array.from({ length: 94 }, (_, i) => `x${i}: 1`);
const NAMES = Array.from({ length: 95 }, (_, i) => `#-${i}-`.padEnd(164, 'X')).join(':\r\n');
const REFUSED = `GET ${TARGET} HTTP/1.1\r\n\r\n`; // without Host

/** By name. What is sent again and again is legal, except `x`, and accepted by the service. */
export const WORKS = {
  'pipelined requests': { more: GET },
  'chunks of one byte': { more: chunked(`${'1\r\na\r\n'.repeat(60_000)}0\r\n\r\n`) },
  'chunk extensions': { more: chunked(`${`1;${'x'.repeat(15_000)}\r\na\r\n`.repeat(50)}0\r\n\r\n`) },
  'heads of 95 lines': { more: get(TARGET, ...LINES) },
  'empty lines': { more: '\r\n' },
  'illegal queries': { more: get(`${PATH}?${'%ff&'.repeat(3_950)}`) },
  trailers: { more: chunked(`0\r\n${LINES.join('\r\n')}\r\n\r\n`) },
  'Expect lines': { more: get(TARGET, ...LINES.map(() => 'Expect: ,')) },
  'heads that never end': { first: `GET / HTTP/1.1\r\n${'a:\r\n'.repeat(1_600)}` },
  'heads and trailers of names': { first: `${post(PATH, CHUNKED, `${NAMES}:`)}1\r\nx\r\n0\r\n${NAMES}` },
  'after the last reply': { first: REFUSED, more: 'x' },
  'after a 413': { first: posting('Content-Length: 1000000000', ''), more: 'x' },
  content: { more: posting('Content-Length: 64000', 'x'.repeat(64_000)) },
  handshakes: {},
  'one byte': { more: GET, isByteByByte: true },
  reconnecting: { first: get(TARGET, CLOSE) },
  'sending and resetting': { first: GET.repeat(200), resetAfterMs: 0 },
  'reading nothing': { first: GET.repeat(8_000), isDeaf: true },
  'rapid reset': { first: get('/slow'), resetAfterMs: 5 }, // of slow.ts
  'split ClientHellos': { splitsHello: true },
  'key updates': { updatesKeys: true },
  'waiting handlers': { more: get('/pool') }, // of slow.ts, where they have seats
} satisfies Record<string, Work>;

type How = Partial<Attack>;
const FEW = { medianMs: 10, worstMs: 150, failed: 0 };
const FEW_TLS = { ...FEW, medianMs: 20 };
const MANY = { ...FEW, medianMs: 80, worstMs: 500 };
const WAITING = { script: 'slow', asks: '/pool', medianMs: 150, worstMs: 250, failed: 0 };
const FLOOD = { ...FEW, medianMs: 50, worstMs: 250, isTls: true, isRsa: true };
const SMALL = { heapMiB: 64 };
const PIPELINED: Clients = [300, 'pipelined requests'];
const attack = (name: string, how: How, ...clients: Clients[]): Attack => ({ ...how, name, clients });
const few = (work: keyof typeof WORKS, how: How = FEW) => attack(work, how, [75, work]);
const many = (work: keyof typeof WORKS, how: How = MANY, count = 900) =>
  attack(`${count}, ${work}`, how, [count, work]);
const overTls = (work: Clients[1], count: number, how: How = FEW_TLS) =>
  attack(`TLS, ${count}, ${work}`, { ...how, isTls: true }, [count, work]);

/** Those that are compared with other servers. */
export const COMPARED: readonly Attack[] = [
  few('pipelined requests'), few('chunks of one byte'), few('trailers'), few('heads of 95 lines'), few('content'),
  few('reconnecting', { ...FEW, medianMs: 4 }), many('pipelined requests'),
];

export const ATTACKS: readonly Attack[] = [
  ...COMPARED,
  few('chunk extensions'), few('empty lines'), few('illegal queries'), few('Expect lines'),
  few('after the last reply'), few('after a 413'), few('sending and resetting', FEW_TLS),
  few('rapid reset', { ...FEW_TLS, script: 'slow' }),
  many('waiting handlers', WAITING, 300), many('waiting handlers', WAITING),
  few('reading nothing', { ...FEW, ...SMALL, peakMiB: 128 }),
  overTls('pipelined requests', 75), overTls('handshakes', 75), overTls('one byte', 75, { ...FEW_TLS, peakMiB: 450 }),
  overTls('one byte', 950, { ...MANY, ...SMALL, peakMiB: 200 }), overTls('split ClientHellos', 900, MANY),
  overTls('key updates', 200, { ...MANY, worstMs: 150 }), overTls('key updates', 900, { ...MANY, worstMs: 350 }),
  overTls('handshakes', 900, FLOOD),
  attack('TLS, 900, handshakes from the start', { ...FLOOD, isCold: true }, [900, 'handshakes']),
  many('after the last reply'), many('one byte'), many('empty lines'), many('trailers'), many('reconnecting'),
  many('heads that never end', { ...MANY, ...SMALL }),
  many('heads and trailers of names', { ...MANY, ...SMALL }, 950), many('illegal queries', MANY, 300),
  attack('300 pipelining and 600 reconnecting', MANY, PIPELINED, [600, 'reconnecting']),
  attack('900, pipelining from 190 addresses', MANY, [900, 'pipelined requests', 190]),
  attack('300 pipelining behind HAProxy, PROXY_PROTOCOL',
    { ...FEW, haproxy: 'send-proxy-v2', env: { PROXY_PROTOCOL: '127.0.0.1' } }, PIPELINED),
];
