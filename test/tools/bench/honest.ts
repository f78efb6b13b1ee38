// The honest clients: from which address they come, how they connect, what they send, and how long they wait.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from '../../support/exchange.ts';
import type { Server } from './processes.ts';
import { ask, BROWSER, longHead, loopbackAddress, openSocket } from './requests.ts';
import { median, percentile } from './tables.ts';

const CONTENT = 'x'.repeat(64 * 1024);
/** The requests, by name. */
const REQUESTS = {
  short: requestBytes('GET', '/health', BROWSER),
  '10 KB head': longHead(10),
  '64 KiB content': requestBytes('GET', '/health', [`Content-Length: ${CONTENT.length}`]) + CONTENT,
};
/** The ways to connect: for each request, or with a connection that is kept alive. */
export const WAYS = ['TCP', 'TCP, kept', 'TLS', 'TLS, kept'] as const;

export type HonestKind = {
  /** The address that the attackers have, if they have a single one (127.0.0.1), or another one for each connection. */
  readonly address: 'same' | 'other';
  readonly request: keyof typeof REQUESTS;
  readonly way: typeof WAYS[number];
};

/** Kinds of honest clients, which send requests in turn, and the milliseconds from one request to the next. */
export type HonestSet = { readonly kinds: readonly HonestKind[]; readonly intervalMs: number };

/** During the attacks, and during the crowds, where each kind sends a request every 192 ms. */
export const ONE: HonestSet = { kinds: [{ address: 'same', request: 'short', way: 'TCP' }], intervalMs: 50 };
export const ALL: HonestSet = {
  kinds: (['same', 'other'] as const).flatMap((address) =>
    (['short', '10 KB head', '64 KiB content'] as const).flatMap((request) => WAYS.map((way) => ({ address, request, way })))),
  intervalMs: 8,
};

/** How the requests of a kind fared. The times are waits in milliseconds. */
export type Waits = { readonly [figure in 'requests' | 'failed' | 'median' | 'p95' | 'worst']: number };

const FIRST_OTHER = 100_000; // the number of the first of the other addresses, which no attacker has
const WARM_UP_REQUESTS = 100;
const LAST_REPLIES_MS = 1_000;
const REPLIED = /^HTTP\/1\.1 (?:200|307)/; // where the server has HTTPS, it redirects all requests for HTTP

/** A kind of client, its connections that are kept and not in use, and how its requests went. */
type Client = { readonly kind: HonestKind; readonly idle: Set<Socket>; waits: number[]; failed: number };

/** Warms the server up. Then it calls `begin`, and measures the kinds of the set for `seconds`: the waits of each, in their order. */
export async function measureHonest({ port, tlsPort }: Server, set: HonestSet, seconds: number, begin: () => void): Promise<Waits[]> {
  const clients = set.kinds.map((kind): Client => ({ kind, idle: new Set(), waits: [], failed: 0 }));
  const sockets = new Set<Socket>();
  const sending: Promise<void>[] = [];
  let opened = 0;

  function open({ kind: { address, way }, idle }: Client): Socket {
    const isTls = way.startsWith('TLS');
    const from = address === 'same' ? undefined : loopbackAddress(FIRST_OTHER + opened);
    opened += 1;
    const socket = openSocket({ port: isTls ? tlsPort : port, isTls, from });
    sockets.add(socket);
    return socket.once('close', () => { sockets.delete(socket); idle.delete(socket); });
  }

  // The wait is the time to the reply or, without one, to the end of the connection. A kept connection has one request at a time.
  async function send(client: Client): Promise<void> {
    const { kind, idle } = client;
    const sentAt = performance.now();
    const socket = Array.from(idle).at(-1) ?? open(client);
    idle.delete(socket);
    const isReplied = await ask(socket, REQUESTS[kind.request]).then((reply) => REPLIED.test(reply.toString('latin1')), () => false);
    client.waits.push(performance.now() - sentAt);
    if (!isReplied) client.failed += 1;
    if (kind.way.endsWith('kept') && !socket.destroyed) idle.add(socket);
    else socket.destroy();
  }

  function sendNext(): Promise<void> {
    const client = clients[sending.length % clients.length];
    const sent = client === undefined ? Promise.resolve() : send(client);
    sending.push(sent);
    return sent;
  }

  for (let i = 0; i < WARM_UP_REQUESTS; i += 1) await sendNext();
  for (const client of clients) Object.assign(client, { waits: [], failed: 0 });
  begin();
  const timer = setInterval(sendNext, set.intervalMs);
  await sleep(seconds * 1000);
  clearInterval(timer);
  await Promise.race([Promise.all(sending), sleep(LAST_REPLIES_MS)]);
  for (const socket of sockets) socket.destroy();
  await Promise.all(sending);
  return clients.map(({ waits, failed }) =>
    ({ requests: waits.length, failed, median: median(waits), p95: percentile(waits, 95), worst: Math.max(...waits) }));
}
