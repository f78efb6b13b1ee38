// The open connections, by client, and which is closed when there are too many. No client can keep the others out.
import type { Socket } from 'node:net';
import { Client, clientOf, type Connection } from './client.ts';

/** Which connection was closed: an idle one, a busy one, or the new one. */
export type DropReason = 'idleClosed' | 'busyClosed' | 'newRefused';

type Victim = { readonly connection: Connection; readonly reason: DropReason };

export class Room {
  readonly connections = new Set<Connection>();
  readonly #clients = new Map<string, Client>();
  readonly #maxConnections: number;

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  /** Adds the connection of a socket, until that closes. */
  add(socket: Socket): Connection {
    const client = this.#clientAt(socket.remoteAddress);
    const place = { order: undefined, previous: undefined, next: undefined };
    const connection = { socket, client, place, acceptedAt: performance.now(), headerBytes: 0 };
    this.connections.add(connection);
    client.idle.add(connection);
    socket.on('close', () => this.remove(connection));
    return connection;
  }

  remove(connection: Connection): void {
    if (this.connections.delete(connection)) connection.client.remove(connection);
  }

  /** Moves a connection to the client that a load balancer has named. */
  move(connection: Connection, named: NonNullable<Connection['named']>): void {
    connection.client.remove(connection);
    connection.named = named;
    connection.client = this.#clientAt(named.address);
    connection.client.idle.add(connection);
  }

  /**
   * If `newest` is one too many, the connection that must be closed, and why. It is one of the client with the most:
   * the one idle for longest. If none is idle: `newest`, if it is of that client; otherwise one that waits for a turn,
   * or the one busy for longest.
   */
  chooseVictim(newest: Connection): Victim | undefined {
    if (this.connections.size <= this.#maxConnections) return undefined;
    let most = newest.client;
    for (const client of this.#clients.values()) {
      if (client.size > most.size) most = client;
    }
    let connection = most.idle.first;
    while (connection !== undefined && connection !== newest) { // that is the last one
      if (connection.valve?.isIdle !== false) return { connection, reason: 'idleClosed' }; // also in a handshake
      most.setWaiting(connection); // so the next time, it is not looked at again
      connection = most.idle.first;
    }
    connection = most.waiting.first ?? most.busy.first;
    if (connection === undefined || most === newest.client) return { connection: newest, reason: 'newRefused' };
    return { connection, reason: 'busyClosed' };
  }

  #clientAt(remoteAddress: string | undefined): Client {
    const name = clientOf(remoteAddress);
    const client = this.#clients.get(name) ?? new Client(this.#maxConnections, () => this.#clients.delete(name));
    this.#clients.set(name, client);
    return client;
  }
}
