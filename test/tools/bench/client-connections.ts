// The connections of the load generator, grouped by port. They stay open between runs.
import { connect, type Socket } from 'node:net';

export type ClientConnection = { readonly socket: Socket; isWaiting: boolean; sentAt: number; received: number };

const open = new Map<number, Set<ClientConnection>>();
const incoming = new Uint8Array(64 * 1024); // one buffer for all connections, because each chunk is used before the next one is read
let onChunk: (connection: ClientConnection, chunk: Uint8Array) => void = () => {};

/** Opens connections until there are `count` to this port. */
export async function openConnections(port: number, count: number): Promise<void> {
  const connections = open.get(port) ?? new Set();
  open.set(port, connections);
  while (connections.size < count) await openConnection(port, connections);
}

/** The connections to this port that are open. */
export function openConnectionsTo(port: number): ClientConnection[] {
  return [...(open.get(port) ?? [])];
}

/** Closes all connections to this port. */
export function closeConnections(port: number): void {
  for (const { socket } of open.get(port) ?? []) socket.destroy();
  open.delete(port);
}

/** From now on, `listener` gets every chunk that arrives on any connection. */
export function listenForChunks(listener: typeof onChunk): void {
  onChunk = listener;
}

function openConnection(port: number, connections: Set<ClientConnection>): Promise<void> {
  return new Promise((resolve) => {
    const onread = {
      buffer: incoming,
      callback(length: number): boolean {
        onChunk(connection, incoming.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, resolve);
    const connection: ClientConnection = { socket, isWaiting: false, sentAt: 0, received: 0 };
    connections.add(connection);
    socket.once('close', () => {
      if (connection.isWaiting) throw new Error('The server has closed a connection instead of replying.');
      connections.delete(connection); // the server has closed it as idle; `openConnections` opens another one
    });
  });
}
