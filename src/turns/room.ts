// The open connections, by client, and which is closed when there are too many. No client can keep the others out.
import type { Socket } from 'node:net';
import { clientOf } from './client.ts';
import { createQueue, type Queues } from './turns.ts';
import type { Valve } from './valve.ts';

type Client = Queues & { readonly name: string; readonly connections: Set<Connection> };

/** Over TLS, a connection has no valve until its handshake is over. */
export type Connection = {
  readonly socket: Socket;
  readonly client: Client;
  readonly acceptedAt: number;
  valve?: Valve;
};

/** Which connection was closed: an idle one, a busy one, or the new one. */
export type DropReason = 'idleClosed' | 'busyClosed' | 'newRefused';

type Victim = { readonly connection: Connection; readonly reason: DropReason };

export const newRefused = (newest: Connection): Victim => ({ connection: newest, reason: 'newRefused' });

export class Room {
  readonly connections = new Set<Connection>();
  readonly #clients = new Map<string, Client>();

  /** Adds the connection of a socket, until that closes. */
  add(socket: Socket): Connection {
    const name = clientOf(socket.remoteAddress);
    const client = this.#clients.get(name) ?? createClient(name);
    const connection = { socket, client, acceptedAt: performance.now() };
    this.#clients.set(name, client);
    this.connections.add(connection);
    client.connections.add(connection);
    socket.on('close', () => this.remove(connection));
    return connection;
  }

  remove(connection: Connection): void {
    const { client } = connection;
    if (!this.connections.delete(connection)) return; // it has been removed before
    client.connections.delete(connection);
    if (client.connections.size === 0) this.#clients.delete(client.name);
  }

  /**
   * The connection that is closed because `newest` is one too many, and why. It is one of the client with the most: the
   * one idle for longest. If none is idle: `newest`, if it is of that client; otherwise the one busy for longest.
   */
  chooseVictim(newest: Connection): Victim {
    let most = newest.client;
    for (const client of this.#clients.values()) {
      if (client.connections.size > most.connections.size) most = client;
    }
    const others = Array.from(most.connections).filter((connection) => connection !== newest);
    const idle = earliest(others.filter(({ valve }) => valve?.isIdle ?? true)); // in a handshake, nothing is lost
    if (idle !== undefined) return { connection: idle, reason: 'idleClosed' };
    const busy = most === newest.client ? undefined : earliest(others);
    return busy === undefined ? newRefused(newest) : { connection: busy, reason: 'busyClosed' };
  }
}

const createClient = (name: string): Client =>
  ({ name, connections: new Set(), short: createQueue(), long: createQueue() });

const since = ({ valve, acceptedAt }: Connection) => valve?.pieces.since ?? acceptedAt;

function earliest(connections: readonly Connection[]): Connection | undefined {
  return connections.reduce<Connection | undefined>(
    (first, one) => (first === undefined || since(one) < since(first) ? one : first), undefined,
  );
}
