// A server: a listener, and the connections that it has accepted.
import net, { type Server as Listener, type Socket } from 'node:net';
import { clientOf } from './client.ts';
import { Connection, type Transport } from './connection.ts';
import { createConnections } from './connections.ts';
import { LIMITS, type Limits } from './limits.ts';
import { createResponder } from './response-stream.ts';
import type { Service } from './send.ts';
import { Turns } from './turns.ts';

const ACCEPT_COST = 8 * 1024; // what it costs to accept a connection, in bytes read

export type ServerOptions = Omit<Service, 'limits' | 'respond' | 'discardTurns'> & {
  readonly maxConnections: number; // how many connections may be open at once
  readonly keepAliveTimeoutMs: number; // how long a connection may be idle, in milliseconds
  readonly limits?: Partial<Limits>; // limits that tests make narrower
};

/** A server and its connections. `listener` accepts connections when it is told to listen. */
export type Server = { readonly listener: Listener } & Omit<ReturnType<typeof createConnections>, 'makeRoom' | 'add'>;

/** Puts TLS on an accepted socket, which is one of `client`. */
export type Secure = (carrier: Socket, client: string, turns: Turns) => Transport;

const NOTHING_BELOW = { isReady: true, isHolding: false, isBroken: false, hasStalled: () => false };

/** A server, not yet listening. `secure` puts TLS on its connections. */
export function createServer(options: ServerOptions, secure: Secure = (socket) => ({ socket, below: NOTHING_BELOW })): Server {
  const { turns, maxConnections, reports } = options;
  const limits = { ...LIMITS, idleMs: options.keepAliveTimeoutMs, ...options.limits };
  const service: Service = { ...options, limits, respond: createResponder(), discardTurns: new Turns(1) };
  // Half open: a client may end its side and still read. A paused socket takes at most one read more, because `highWaterMark` is 0.
  const listener = net.createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: 0 });
  const connections = createConnections(listener, maxConnections, limits, reports);

  listener.on('connection', (carrier) => {
    turns.spend(ACCEPT_COST);
    const client = clientOf(carrier.remoteAddress);
    if (!connections.makeRoom(client)) { carrier.destroy(); return; }
    const transport = secure(carrier, client, turns);
    const connection = new Connection(transport, carrier.remoteAddress, client, service);
    connections.add(connection, transport.socket);
  });

  return { listener, ...connections };
}
