// The honest clients: from which address they come, how they connect, what they send, and how long they wait.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from '../../support/exchange.ts';
import type { Server } from './processes.ts';
import { BROWSER, longHead, loopbackAddress, openSocket } from './requests.ts';
import { percentile } from './tables.ts';

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

/** How the requests of a kind fared. The times are waits in milliseconds. */
export type Waits = { readonly [figure in 'requests' | 'failed' | 'median' | 'p95' | 'worst']: number };

const CONTENT = 'x'.repeat(64 * 1024);
/** The requests, by name. */
export const REQUESTS: ReadonlyMap<string, string> = new Map([
  ['short', requestBytes('GET', '/health', BROWSER)],
  ['10 KB head', longHead(10)],
  ['64 KiB content', requestBytes('GET', '/health', [`Content-Length: ${CONTENT.length}`]) + CONTENT],
]);
export const ADDRESSES = ['same', 'other'] as const;
/** The ways to connect. */
export const WAYS = [
  { way: 'TCP', isTls: false, isKept: false },
  { way: 'TCP, kept', isTls: false, isKept: true },
  { way: 'TLS', isTls: true, isKept: false },
  { way: 'TLS, kept', isTls: true, isKept: true },
] as const;

/** During the attacks, and during the crowds, where each kind sends a request every 192 ms. */
export const ONE: HonestSet = { kinds: [{ address: 'same', ...WAYS[0], request: 'short' }], intervalMs: 50 };
export const ALL: HonestSet = {
  kinds: Array.from(REQUESTS.keys()).flatMap((request) =>
    WAYS.flatMap((way) => ADDRESSES.map((address) => ({ address, ...way, request })))),
  intervalMs: 8,
};

const FIRST_OTHER = 100_000; // the number of the first of the other addresses, which no attacker has
const WARM_UP_REQUESTS = 100;
const LAST_REPLIES_MS = 1_000;
const REPLIED = /^HTTP\/1\.1 (?:200|307)/; // where the server has HTTPS, it redirects all requests for HTTP

/** A kind of client, its connections that are kept and not in use, and how its requests went. */
type Client = { readonly kind: HonestKind; readonly idle: Set<Socket>; waits: number[]; failed: number };

/** Warms the server up. Then it calls `begin`, and measures the kinds of the set for `seconds`: the waits of each, in their order. */
export async function measureHonest({ port, tlsPort }: Server, set: HonestSet, seconds: number, begin: () => void): Promise<Waits[]> {
  const clients = set.kinds.map((kind): Client => ({ kind, idle: new Set(), waits: [], failed: 0 }));
  const inUse = new Set<Socket>();
  let sent = 0;
  let opened = 0;

  function open({ kind: { address, isTls }, idle }: Client): Socket {
    const from = address === 'same' ? undefined : loopbackAddress(FIRST_OTHER + opened);
    opened += 1;
    const socket = openSocket({ port: isTls ? tlsPort : port, isTls, from }).on('error', () => {}); // `close` follows
    return socket.once('close', () => idle.delete(socket));
  }

  // The wait is the time to the reply or, without one, to the end of the connection. A kept connection has one request at a time.
  function send(client: Client): Promise<void> {
    const { kind, idle } = client;
    return new Promise((resolve) => {
      const sentAt = performance.now();
      const socket = Array.from(idle).at(-1) ?? open(client);
      idle.delete(socket);
      inUse.add(socket);

      function finish(isReplied: boolean): void {
        socket.off('data', receive).off('close', close);
        inUse.delete(socket);
        client.waits.push(performance.now() - sentAt);
        if (!isReplied) client.failed += 1;
        resolve();
      }
      function receive(reply: Buffer): void { // all of the reply, because it is short
        finish(REPLIED.test(reply.toString('latin1')));
        if (kind.isKept) idle.add(socket);
        else socket.destroy();
      }
      function close(): void { finish(false); }

      socket.on('data', receive).on('close', close);
      socket.write(REQUESTS.get(kind.request) ?? '');
    });
  }

  async function sendNext(): Promise<void> {
    const client = clients[sent % clients.length];
    sent += 1;
    if (client !== undefined) await send(client);
  }

  for (let i = 0; i < WARM_UP_REQUESTS; i += 1) await sendNext();
  for (const client of clients) Object.assign(client, { waits: [], failed: 0 });
  begin();
  const timer = setInterval(sendNext, set.intervalMs);
  await sleep(seconds * 1000);
  clearInterval(timer);
  if (inUse.size > 0) await sleep(LAST_REPLIES_MS);
  const ended = Array.from(inUse, (socket) => once(socket, 'close')); // those without a reply so far
  for (const { idle } of clients) for (const socket of [...inUse, ...idle]) socket.destroy();
  await Promise.all(ended);
  return clients.map(({ waits, failed }) => {
    const sorted = waits.toSorted((a, b) => a - b);
    const [median, p95, worst] = [percentile(sorted, 50), percentile(sorted, 95), sorted.at(-1) ?? Number.NaN];
    return { requests: waits.length, failed, median, p95, worst };
  });
}
