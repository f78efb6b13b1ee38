// What the tests of this folder start: a server whose clients take turns, its clients, and turns that the test gives.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import { connect, type ServerOpts, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import tls, { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { FairResponse } from '../../src/turns/fair-response.ts';
import { createFairServer, type FairOptions } from '../../src/turns/fair-server.ts';
import { createTurns } from '../../src/turns/turns.ts';
import type { Valve } from '../../src/turns/valve.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { listenOnPort, startPair } from '../support/sockets.ts';

export type Over = 'TCP' | 'TLS';
export const TRANSPORTS: readonly Over[] = ['TCP', 'TLS'];

/** `below` and `raw` are the ends of a TCP connection; over TLS, `client` and `accepted` are those of TLS on it. */
export type Opened = {
  readonly client: Socket;
  readonly below: Socket;
  readonly raw: Socket;
  readonly accepted: Socket;
  readonly valve: Valve; // what Node has as the connection
};

/** A new certificate and its key. */
export function tlsOptions(t: TestContext, name = 'localhost'): SecureContextOptions {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), name);
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

/** Starts a server with these settings; it stops when the test `t` ends. By default, only the test sweeps. */
export async function start(t: TestContext, handler: RequestListener, over: Over, options: Partial<FairOptions> = {}) {
  const server = http.createServer({ ServerResponse: FairResponse }, handler);
  server.keepAliveTimeout = 0;
  const secured = over === 'TLS' ? tlsOptions(t) : undefined;
  const fair = createFairServer(server, { maxConnections: 1_000, tls: secured, sweepMs: 2 ** 30, ...options });
  const port = await listenOnPort(fair.listener);
  t.after(() => fair.closeAll());

  /** Connects a client to the kernel; over TLS, no handshake begins. */
  async function dial(localAddress = '127.0.0.1') {
    const accepting = once(fair.listener, 'connection');
    const below = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true, noDelay: true });
    t.after(() => below.destroy());
    const [[raw]] = await Promise.all([accepting, once(below, 'connect')]);
    return { below: below.on('error', () => {}), raw };
  }

  /** Connects a client from this address. Over TLS the handshake is over when this resolves. */
  async function open(localAddress = '127.0.0.1', clientTls: SecureContextOptions = {}): Promise<Opened> {
    const serving = once(server, 'connection');
    const { below, raw } = await dial(localAddress);
    if (over === 'TCP') return { client: below, below, raw, accepted: raw, valve: (await serving)[0] };
    const secured = once(fair.listener, 'secureConnection');
    const client = connectTls({ ...clientTls, socket: below, rejectUnauthorized: false }).on('error', () => {});
    const [[accepted], [valve]] = await Promise.all([secured, serving, once(client, 'secureConnect')]);
    return { client, below, raw, accepted, valve };
  }
  return { ...fair, server, port, dial, open };
}

/** Both ends of a connection without an HTTP server. */
export async function startEnds(t: TestContext, over: Over, options: ServerOpts = {}): Promise<Omit<Opened, 'valve'>> {
  const { client: below, accepted: raw } = await startPair(t, { allowHalfOpen: over === 'TCP', ...options });
  if (over === 'TCP') return { client: below, below, raw, accepted: raw };
  const listener = tls.createServer(tlsOptions(t));
  listener.emit('connection', raw);
  const client = connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {});
  const [[accepted]] = await Promise.all([once(listener, 'secureConnection'), once(client, 'secureConnect')]);
  return { client, below, raw, accepted };
}

/** Turns that come by themselves. After `hold`, one comes at each call of `turn`, and nothing goes ahead. */
export function startTurns() {
  let clock = 0;
  let isHeld = false;
  let run = () => {};
  const turns = createTurns(() => (isHeld ? (clock += 1) : 0), (next) => {
    run = next;
    if (!isHeld) setImmediate(next);
  });
  return {
    turns,
    turn() {
      run();
      turns.mayGoAhead();
    },
    hold() {
      isHeld = true;
      turns.mayGoAhead();
    },
  };
}
