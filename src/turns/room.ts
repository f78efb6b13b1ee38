// The open connections of the servers that share a room, by client, and which of them is closed when there are too
// many. Nobody can keep the others out.
import type { Socket } from 'node:net';
import { clientOf, type Client } from './client.ts';
import { Connection } from './connection.ts';
import { checkOptions } from './options.ts';

export type Room = ReturnType<typeof createRoom>;

/** A room for so many connections. Throws a TypeError if that is no whole number from 1. */
export function createRoom(maxConnections = 1_000) {
  checkOptions({ maxConnections });
  const connections = new Set<Connection>();
  const clients = new Map<string, Client>();
  let leftBehind = 0; // handlers, of all clients

  // The client of this name, with one more of these.
  function enter(name: string, of: 'size' | 'leftBehind'): Client {
    const none = { size: 0, leftBehind: 0, keyUpdates: 0 };
    const client = clients.get(name) ?? { name, short: new Map(), long: new Map(), ...none };
    clients.set(name, client);
    client[of] += 1;
    return client;
  }

  // A client of which nothing is left is forgotten.
  function leave(client: Client, of: 'size' | 'leftBehind'): void {
    client[of] -= 1;
    if (client.size + client.leftBehind === 0) clients.delete(client.name);
  }

  return {
    /** Adds the connection of a socket. `close` is called if it must make room. */
    add(socket: Socket, close: (connection: Connection) => void): Connection {
      const connection = new Connection(socket, enter(clientOf(socket.remoteAddress), 'size'), close);
      connections.add(connection);
      return connection;
    },
    /** Removes a connection that closes. */
    remove(connection: Connection): void {
      if (connections.delete(connection)) leave(connection.client, 'size');
    },
    /** Moves a connection to the client with the address that a load balancer has named. */
    move(connection: Connection, remoteAddress: string): void {
      leave(connection.client, 'size');
      connection.client = enter(clientOf(remoteAddress), 'size');
    },
    /** A response to a client of this name has closed, and its handler goes on. Returns what to call at its end. */
    leaveBehind(name: string): () => void {
      const client = enter(name, 'leftBehind'); // which may have been forgotten, if its connection has closed before
      leftBehind += 1;
      return () => {
        leftBehind -= 1;
        leave(client, 'leftBehind');
      };
    },
    /**
     * Whether a client has too many connections and handlers left behind (resets could start any number of these). It
     * may have as many as the room holds; if others have as many, half, and ever less. So all have less than twice
     * the room, and because the part that they leave is squared, it takes 48 clients to keep others out of 1,000.
     */
    isFull({ size, leftBehind: ofClient }: Client): boolean {
      const own = size + ofClient;
      const others = connections.size + leftBehind - own;
      return own > maxConnections * Math.min(1, 2 * (1 - others / (2 * maxConnections)) ** 2);
    },
    /** If there is one connection too many, the one that must be closed, and why. `newest` was added last. */
    chooseVictim(newest: Connection) {
      if (connections.size <= maxConnections) return undefined;
      let victim = newest;
      for (const other of connections) if (makesRoomBefore(other, victim)) victim = other;
      const reason = victim.loss === 0 ? 'idleClosed' : 'busyClosed';
      return { victim, reason: victim === newest ? 'newRefused' : reason };
    },
  };
}

// First comes the client with the most connections, and of those the one that is idle, or else the one that waits for a
// turn. Of those that are alike, the one that is so for longest.
function makesRoomBefore(one: Connection, other: Connection): boolean {
  const order = other.client.size - one.client.size || one.loss - other.loss || one.changedAt - other.changedAt;
  return order < 0;
}
