// The open connections of the servers that share a room, by client, and which of them is closed when there are too
// many. Nobody can keep the others out.
import type { Socket } from 'node:net';
import { clientOf, networkOf, type Client, type Network } from './client.ts';
import { Connection, LOSS } from './connection.ts';

/** Which connection was closed: an idle one, a busy one, or the new one. */
export type DropReason = 'idleClosed' | 'busyClosed' | 'newRefused';

export type Room = ReturnType<typeof createRoom>;

/** A room for so many connections. */
export function createRoom(maxConnections: number) {
  const connections = new Set<Connection>();
  const clients = new Map<string, Client>();
  const networks = new Map<string, Network>();

  // The client at this address, with one more connection.
  function enter(remoteAddress: string | undefined): Client {
    const name = clientOf(remoteAddress);
    const wide = networkOf(name);
    const network = clients.get(name)?.network ?? networks.get(wide) ?? { name: wide, size: 0, leftBehind: 0 };
    const client = clients.get(name) ?? { name, network, short: new Map(), long: new Map(), size: 0 };
    networks.set(wide, network);
    clients.set(name, client);
    client.size += 1;
    network.size += 1;
    return client;
  }

  function leave(client: Client): void {
    client.size -= 1;
    client.network.size -= 1;
    forget(client);
  }

  // Forgets a client, or its network, of which nothing is left. An iteration later: the response on a connection that
  // closes says a moment after it that a handler is left behind.
  function forget({ name, network }: Client): void {
    setImmediate(() => {
      if (clients.get(name)?.size === 0) clients.delete(name);
      const { size, leftBehind } = networks.get(network.name) ?? network;
      if (size + leftBehind === 0) networks.delete(network.name);
    });
  }

  return {
    /** Adds the connection of a socket. `close` is called if it must make room. */
    add(socket: Socket, close: (connection: Connection) => void): Connection {
      const connection = new Connection(socket, enter(socket.remoteAddress), close);
      connections.add(connection);
      return connection;
    },
    /** Removes a connection that closes. */
    remove(connection: Connection): void {
      if (connections.delete(connection)) leave(connection.client);
    },
    /** Moves a connection to the client with the address that a load balancer has named. */
    move(connection: Connection, remoteAddress: string): void {
      leave(connection.client);
      connection.client = enter(remoteAddress);
    },
    /** A response to a client has closed, and its handler goes on. Returns what to call at the end of that. */
    leaveBehind(client: Client): () => void {
      client.network.leftBehind += 1;
      return () => {
        client.network.leftBehind -= 1;
        forget(client);
      };
    },
    /** Whether its network has too many connections and handlers left: resets could start any number of these. */
    isFull: ({ network }: Client): boolean => network.size + network.leftBehind > maxConnections,
    /** If there is one connection too many, the one that must be closed, and why. `newest` was added last. */
    chooseVictim(newest: Connection): { connection: Connection; reason: DropReason } | undefined {
      if (connections.size <= maxConnections) return undefined;
      let connection = newest;
      for (const other of connections) {
        if (makesRoomBefore(other, connection)) connection = other;
      }
      if (connection === newest) return { connection, reason: 'newRefused' };
      return { connection, reason: connection.loss === LOSS.nothing ? 'idleClosed' : 'busyClosed' };
    },
  };
}

// First comes the network with the most connections, in that the client with the most, and of its connections the one
// that is idle, or else the one that waits for a turn. Of those that are alike, the one that is so for longest.
function makesRoomBefore(one: Connection, other: Connection): boolean {
  const [a, b] = [one.client, other.client];
  const order = b.network.size - a.network.size || b.size - a.size || one.loss - other.loss;
  return (order || one.lastChange - other.lastChange) < 0;
}
