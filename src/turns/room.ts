// The open connections of the servers that share a room, by client, and which of them is closed when there are too
// many. Nobody can keep the others out.
import type { Socket } from 'node:net';
import { Client, clientOf, networkOf, type Network } from './client.ts';
import { Connection } from './connection.ts';

/** Which connection was closed: an idle one, a busy one, or the new one. */
export type DropReason = 'idleClosed' | 'busyClosed' | 'newRefused';

type Victim = { readonly connection: Connection; readonly reason: DropReason };

export class Room {
  readonly #connections = new Set<Connection>();
  readonly #networks = new Map<string, Network>();
  readonly #maxConnections: number;

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  /** Adds the connection of a socket. `close` is called if it must make room. */
  add(socket: Socket, close: (connection: Connection) => void): Connection {
    const connection = new Connection(socket, this.#clientAt(socket.remoteAddress), close);
    this.#connections.add(connection);
    resize(connection.client, 1);
    return connection;
  }

  /** Removes a connection that closes. */
  remove(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    resize(connection.client, -1);
    this.#release(connection.client);
  }

  /** Moves a connection to the client with the address that a load balancer has named. */
  move(connection: Connection, remoteAddress: string): void {
    const { client } = connection;
    resize(client, -1);
    this.#release(client);
    connection.client = this.#clientAt(remoteAddress);
    resize(connection.client, 1);
  }

  /** A connection of a client has closed, and the handler of its request goes on. Returns what to call at its end. */
  leaveBehind(client: Client): () => void {
    client.leftBehind += 1;
    return () => {
      client.leftBehind -= 1;
      this.#release(client);
    };
  }

  /** Whether a client has too many connections and handlers left behind: by resetting, it could start any number. */
  isFull({ size, leftBehind }: Client): boolean {
    return size + leftBehind > this.#maxConnections;
  }

  /** If there is one connection too many, the one that must be closed, and why. `newest` was added last. */
  chooseVictim(newest: Connection): Victim | undefined {
    if (this.#connections.size <= this.#maxConnections) return undefined;
    let connection = newest;
    for (const other of this.#connections) {
      if (makesRoomBefore(other, connection)) connection = other;
    }
    if (connection === newest) return { connection, reason: 'newRefused' };
    return { connection, reason: connection.load === 0 ? 'idleClosed' : 'busyClosed' };
  }

  #clientAt(remoteAddress: string | undefined): Client {
    const name = clientOf(remoteAddress);
    const networkName = networkOf(name);
    const network = this.#networks.get(networkName) ?? newNetwork(networkName);
    const client = network.clients.get(name) ?? new Client(name, network);
    this.#networks.set(networkName, network);
    network.clients.set(name, client);
    return client;
  }

  // Forgets a client of which nothing is left. An iteration later: the response on a connection that closes says only
  // then that a handler is left behind.
  #release(client: Client): void {
    const { name, network } = client;
    setImmediate(() => {
      if (client.size + client.leftBehind > 0 || network.clients.get(name) !== client) return;
      network.clients.delete(name);
      if (network.clients.size === 0) this.#networks.delete(network.name);
    });
  }
}

const newNetwork = (name: string): Network => ({ name, clients: new Map(), size: 0 });

function resize(client: Client, by: number): void {
  client.size += by;
  client.network.size += by;
}

// First comes the network with the most connections, in that the client with the most, and of its connections the one
// that is idle, or else the one that waits for a turn. Of those that are alike, the one that is so for longest.
function makesRoomBefore(one: Connection, other: Connection): boolean {
  const [a, b] = [one.client, other.client];
  if (a.network.size !== b.network.size) return a.network.size > b.network.size;
  if (a.size !== b.size) return a.size > b.size;
  const more = one.load - other.load;
  return more === 0 ? one.since < other.since : more < 0;
}
