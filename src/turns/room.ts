// The open connections of servers, by client, and which is closed when there are too many. No client keeps others out.
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
  let total = 0; // of what all clients have

  // The client of this name, with one more connection or handler left behind.
  function enter(name: string): Client {
    const client = clients.get(name) ?? { name, short: new Map(), long: new Map(), size: 0, keyUpdates: 0 };
    clients.set(name, client);
    client.size += 1;
    total += 1;
    return client;
  }

  // A client of which nothing is left is forgotten.
  function leave(client: Client): void {
    client.size -= 1;
    total -= 1;
    if (client.size === 0) clients.delete(client.name);
  }

  return {
    /** Adds the connection of a socket. `close` is called if it must make room. */
    add(socket: Socket, close: (connection: Connection) => void): Connection {
      const connection = new Connection(socket, enter(clientOf(socket.remoteAddress)), close);
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
      connection.client = enter(clientOf(remoteAddress));
    },
    /** A response to a client of this name has closed, and its handler goes on. Returns what to call at its end. */
    leaveBehind(name: string): () => void {
      const client = enter(name); // which may have been forgotten, if its connection has closed before
      return () => leave(client);
    },
    /**
     * Whether a client has too many connections and handlers left behind (resets could start any number of these). It
     * may have as many as the room holds; if others have as many, half, and ever less. So all have less than twice
     * the room, and because the part that they leave is squared, it takes 49 clients to keep others out of 1,000.
     */
    isFull({ size }: Client): boolean {
      return size > maxConnections * Math.min(1, 2 * Math.max(0, 1 - (total - size) / (2 * maxConnections)) ** 2);
    },
    /** If there is one connection too many, the one that must be closed, and why. `newest` was added last. */
    chooseVictim(newest: Connection) {
      if (connections.size <= maxConnections) return undefined;
      let victim = newest;
      for (const other of connections) if (orderOf(other, victim) < 0) victim = other;
      const reason = lossOf(victim) === 0 ? 'idleClosed' : 'busyClosed';
      return { victim, reason: victim === newest ? 'newRefused' : reason };
    },
  };
}

// First comes the client with the most, and of its connections one that is idle, or else one that waits for a turn. Of
// those that are alike, the one that is so for longest.
const orderOf = (one: Connection, other: Connection) =>
  other.client.size - one.client.size || lossOf(one) - lossOf(other) || one.changedAt - other.changedAt;
const lossOf = ({ valve }: Connection) => valve?.loss ?? 0;
