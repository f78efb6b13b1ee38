// What the tests of this folder start: a server whose clients take turns, its clients, and turns that the test gives.
import { once, type EventEmitter } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createFairServer, type FairOptions } from '../../src/turns/fair-server.ts';
import { createTls } from '../../src/turns/handshake.ts';
import { HIGH_WATER_MARK } from '../../src/turns/reader.ts';
import { createTurns } from '../../src/turns/turns.ts';
import type { Valve } from '../../src/turns/valve.ts';
import { tlsOptions } from '../support/certificates.ts';
import { post } from '../support/exchange.ts';
import { listenOnPort, startPair } from '../support/sockets.ts';

export type Over = 'TCP' | 'TLS';

/** Tests over TCP and over TLS. */
export function testOver(title: string, act: (over: Over, t: TestContext) => Promise<void>): void {
  for (const over of ['TCP', 'TLS'] as const) test(`over ${over}, ${title}`, async (t) => act(over, t));
}

/** The head of a request with so many bytes of content. */
export const upload = (length: number, ...fields: readonly string[]) =>
  post('/', `Content-Length: ${length}`, ...fields);
export const FORGED = Buffer.concat([Buffer.of(0x17, 3, 3, 0, 32), Buffer.alloc(32)]); // a TLS record that is none

export const hello = (_: unknown, response: ServerResponse) => void response.end('hello');

/** `below` and `raw` are the ends of a TCP connection; over TLS, `client` and `accepted` are those of TLS on it. */
type Sockets = Readonly<Record<'client' | 'below' | 'raw' | 'accepted', Socket>>;
export type Opened = Sockets & { readonly valve: Valve }; // what Node has as the connection

/** Which of these connections are open, by name. */
export const openOf = (all: Readonly<Record<string, Pick<Sockets, 'raw'>>>) =>
  Object.entries(all).filter(([, { raw }]) => !raw.destroyed).map(([name]) => name);

/** Begins TLS on a connection, as its client. */
export const beginTls = (socket: Duplex) => connectTls({ socket, rejectUnauthorized: false }).on('error', () => {});

async function shakeHands(server: EventEmitter, event: string, below: Socket) {
  const client = beginTls(below);
  await Promise.all([once(server, event), once(client, 'secureConnect')]);
  return client;
}

/**
 * Starts a server with these settings; it stops when the test `t` ends. By default, only the test sweeps, and `reasons`
 * are those for which connections have ended early.
 */
export async function start(t: TestContext, handler: RequestListener, over: Over, options: Partial<FairOptions> = {}) {
  const ofTls = over === 'TLS' ? tlsOptions(t) : undefined;
  const reasons: string[] = [];
  const note = (reason: string) => reasons.push(reason);
  const noted = { tls: ofTls, failed: note, dropped: note };
  const never = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0, sweepMs: 2 ** 30 };
  const server = createFairServer({ ...noted, ...never, ...options }, handler);
  const port = await listenOnPort(server);
  t.after(async () => { // at once: later, its timers would be taken for those that another test holds
    const ending = server.listener.listening && once(server, 'close');
    server.closeAllConnections();
    server.stopListening();
    await ending;
  });

  /** Connects a client to the kernel; over TLS, no handshake begins. */
  async function dial(localAddress = '127.0.0.1') {
    const accepting = once(server.listener, 'connection');
    const below = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true, noDelay: true });
    t.after(() => below.destroy());
    const [[raw]] = await Promise.all([accepting, once(below, 'connect')]);
    return { below: below.on('error', () => {}), raw };
  }

  /** Connects a client from this address. Over TLS the handshake is over when this resolves. */
  async function open(localAddress?: string): Promise<Opened> {
    const serving = once(server, 'connection');
    const { below, raw } = await dial(localAddress);
    const client = ofTls ? await shakeHands(server, 'secureConnection', below) : below;
    const [valve] = await serving;
    return { client, accepted: Reflect.get(valve, 'socket'), below, raw, valve };
  }
  return { server, port, dial, open, reasons };
}

/** Both ends of a connection without an HTTP server. */
export async function startEnds(t: TestContext, over: Over): Promise<Sockets> {
  const settings = { allowHalfOpen: over === 'TCP', highWaterMark: HIGH_WATER_MARK };
  const { client: below, accepted: raw } = await startPair(t, settings);
  if (over === 'TCP') return { client: below, below, raw, accepted: raw };
  const accepted = createTls(tlsOptions(t)).start(raw);
  accepted.on('error', () => {});
  return { client: await shakeHands(accepted, 'secure', below), accepted, below, raw };
}

/** Turns that come by themselves. After `hold`, one comes at each call of `turn`; what is cheap may still go ahead. */
export function startTurns() {
  let [isHeld, isAheadHeld] = [false, false];
  let run = () => {};
  const turns = createTurns(() => 0, (next) => {
    run = next;
    if (!isHeld) setImmediate(next);
  });
  return {
    turns: { ...turns, admitAhead: () => !isAheadHeld && turns.admitAhead() },
    turn() {
      turns.endAfterOne(); // no more than one
      run();
    },
    hold({ mayGoAhead = false } = {}) {
      isHeld = true;
      isAheadHeld = !mayGoAhead;
    },
  };
}
