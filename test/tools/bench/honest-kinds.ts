// The kinds of honest clients: from which address they come, how they connect, and what they send.
import { requestBytes } from './request-kinds.ts';

export type HonestKind = {
  /** The address that the attackers have, if they have a single one (127.0.0.1), or another one for each connection. */
  readonly address: 'same' | 'other';
  readonly way: string;
  readonly isTls: boolean;
  /** Whether the requests have a connection that is kept alive, and not a new one each. */
  readonly isKept: boolean;
  readonly request: string;
};

/** Kinds of honest clients, which send requests in turn, and the milliseconds from one request to the next. */
export type HonestSet = { readonly kinds: readonly HonestKind[]; readonly intervalMs: number };

const START = 'GET /health HTTP/1.1\r\nHost: localhost\r\n';
const FIELD_LINE = `x-padding: ${'x'.repeat(987)}\r\n`; // 1,000 bytes
const CONTENT_BYTES = 64 * 1024;

/** The bytes of each request, by name. */
export const REQUESTS: ReadonlyMap<string, Buffer> = new Map([
  ['short', requestBytes('browser', 80, '/health')],
  ['10 KB head', longHead(10)],
  ['64 KB content', Buffer.from(`${START}Content-Length: ${CONTENT_BYTES}\r\n\r\n${'x'.repeat(CONTENT_BYTES)}`)],
]);

/** A request with a head of so many kilobytes. */
export function longHead(kilobytes: number): Buffer {
  return Buffer.from(`${START}${FIELD_LINE.repeat(kilobytes)}\r\n`);
}

/** The ways to connect. */
export const WAYS = [
  { way: 'TCP', isTls: false, isKept: false },
  { way: 'TCP, kept', isTls: false, isKept: true },
  { way: 'TLS', isTls: true, isKept: false },
  { way: 'TLS, kept', isTls: true, isKept: true },
] as const;

export const ADDRESSES = ['same', 'other'] as const;

/** The sets by name: `one` for the attacks, `all` for the crowds. */
export const HONEST_SETS: ReadonlyMap<string, HonestSet> = new Map([
  ['one', { kinds: [{ address: 'same', ...WAYS[0], request: 'short' }], intervalMs: 50 }],
  ['all', {
    kinds: Array.from(REQUESTS.keys()).flatMap((request) =>
      WAYS.flatMap((way) => ADDRESSES.map((address): HonestKind => ({ address, ...way, request })))),
    intervalMs: 8, // each kind sends one in 192 ms
  }],
]);
