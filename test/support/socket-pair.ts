// Servers of node:net on a free port, and two sockets that are connected with each other.
import { once } from 'node:events';
import { connect, createServer, type Server, type ServerOpts, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Listens on a free port of this machine, and resolves with it. */
export async function listenOnPort(server: Server): Promise<number> {
  await once(server.listen({ port: 0, host: '127.0.0.1' }), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  return address.port;
}

/** A server that accepts one connection, and both ends of that. */
export async function startPair(t: TestContext, options: ServerOpts = {}): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer({ allowHalfOpen: true, ...options });
  const port = await listenOnPort(server);
  const connection = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }).on('error', () => {});
  const [accepted] = await connection;
  t.after(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  return { client, accepted: accepted.on('error', () => {}) };
}
