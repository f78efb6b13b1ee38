// The honest clients: from which address they come, how they connect, what they send, and how long they wait.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from '../../support/exchange.ts';
import type { Server } from './processes.ts';
import { ask, BROWSER, LONG_HEAD, loopbackAddress, openSocket } from './requests.ts';
import { median } from './tables.ts';

const CONTENT = 'x'.repeat(64 * 1024);
/** The requests, by name. Each is sent on a new connection. */
const REQUESTS = {
  short: requestBytes('GET', '/health', BROWSER),
  '10 KB head': LONG_HEAD,
  '64 KiB content': requestBytes('GET', '/health', [`Content-Length: ${CONTENT.length}`]) + CONTENT,
};

export type HonestKind = {
  /** The address that the attackers have, if they have a single one (127.0.0.1), or another one for each connection. */
  readonly address: 'same' | 'other';
  readonly request: keyof typeof REQUESTS;
  readonly way: 'TCP' | 'TLS';
};

/** Kinds of honest clients, which send requests in turn, and the milliseconds from one request to the next. */
export type HonestSet = { readonly kinds: readonly HonestKind[]; readonly intervalMs: number };

/** During the attacks, and during the crowds, where each kind sends a request every 192 ms. */
export const ONE: HonestSet = { kinds: [{ address: 'same', request: 'short', way: 'TCP' }], intervalMs: 50 };
export const ALL: HonestSet = {
  kinds: (['same', 'other'] as const).flatMap((address) =>
    (['short', '10 KB head', '64 KiB content'] as const).flatMap((request) =>
      (['TCP', 'TLS'] as const).map((way) => ({ address, request, way })))),
  intervalMs: 16,
};

/** How the requests of a kind fared. The times are waits in milliseconds. */
export type Waits = { readonly kind: HonestKind } & { readonly [figure in 'requests' | 'failed' | 'median' | 'worst']: number };

const FIRST_OTHER = 100_000; // the number of the first of the other addresses, which no attacker has
const WARM_UP_REQUESTS = 100;
const LAST_REPLIES_MS = 1_000;
const REPLIED = /^HTTP\/1\.1 (?:200|307)/; // where the server has HTTPS, it redirects all requests for HTTP

/** A kind of client, and how its requests went. */
type Client = { readonly kind: HonestKind; waits: number[]; failed: number };

/** Warms the server up. Then it calls `begin`, and measures the kinds of the set for `seconds`. */
export async function measureHonest({ port, tlsPort }: Server, set: HonestSet, seconds: number, begin: () => void): Promise<Waits[]> {
  const clients = set.kinds.map((kind): Client => ({ kind, waits: [], failed: 0 }));
  const sockets = new Set<Socket>();
  const sending: Promise<void>[] = [];

  // The wait is the time to the reply or, without one, to the end of the connection.
  async function send(client: Client): Promise<void> {
    const { address, request, way } = client.kind;
    const isTls = way === 'TLS';
    const from = address === 'same' ? undefined : loopbackAddress(FIRST_OTHER + sending.length);
    const sentAt = performance.now();
    const socket = openSocket({ port: isTls ? tlsPort : port, isTls, from });
    sockets.add(socket);
    const isReplied = await ask(socket, REQUESTS[request]).then((reply) => REPLIED.test(reply.toString('latin1')), () => false);
    client.waits.push(performance.now() - sentAt);
    if (!isReplied) client.failed += 1;
    sockets.delete(socket.destroy());
  }

  const inTurn = repeated(clients);
  for (let i = 0; i < WARM_UP_REQUESTS; i += 1) await send(inTurn.next().value);
  for (const client of clients) Object.assign(client, { waits: [], failed: 0 });
  begin();
  const timer = setInterval(() => sending.push(send(inTurn.next().value)), set.intervalMs);
  await sleep(seconds * 1000);
  clearInterval(timer);
  await Promise.race([Promise.all(sending), sleep(LAST_REPLIES_MS)]);
  for (const socket of sockets) socket.destroy();
  await Promise.all(sending);
  return clients.map(({ kind, waits, failed }) =>
    ({ kind, requests: waits.length, failed, median: median(waits), worst: Math.max(...waits) }));
}

function* repeated<T>(values: readonly T[]): Generator<T, never> {
  for (;;) yield* values;
}
