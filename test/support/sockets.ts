// Servers of node:net on a free port, pairs of sockets, and waits that end when something has happened, however slow
// the machine is. That nothing happens can only be seen after a while: as long as bytes take on another connection.
import { once } from 'node:events';
import { connect, createServer, type Server, type ServerOpts, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';

/** The reason why tests of how kernels accept, write, reset and name sockets are skipped here, or false. */
export const NO_UNIX = process.platform === 'win32' && 'sockets of Windows accept, write and reset in another way';

const LIMIT_MS = 300_000; // far less than that of a run, which would not say what has been waited for

/** Listens on a free port of this machine, and resolves with it; or as a Unix socket on `path`, which has port 0. */
export async function listenOnPort(server: Server, path?: string): Promise<number> {
  await once(server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path }), 'listening');
  const address = server.address();
  return address instanceof Object ? address.port : 0;
}

/** A server that accepts one connection, and both ends of that. */
export async function startPair(t: TestContext, options: ServerOpts = {}) {
  const server = createServer({ allowHalfOpen: true, ...options });
  const port = await listenOnPort(server);
  const accepting = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const client = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }).on('error', () => {});
  const [accepted] = await Promise.all([accepting, once(client, 'connect')]);
  t.after(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  return { client, accepted: accepted.on('error', () => {}) };
}

/** Resolves in the iteration of the event loop in which `isSo` has become true. Rejects when that takes too long. */
export async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !isSo(); await nextIteration()) {
    if (Date.now() > end) throw new Error(`It was never so: ${String(isSo)}`);
  }
}

/** Resolves after enough iterations for all that follows without the kernel. */
export async function iterations(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await nextIteration();
}

/** Resolves when `value` stays as it is while bytes go to and fro elsewhere: what was on its way has arrived. */
export async function calm(t: TestContext, value: () => number): Promise<void> {
  const { client, accepted } = await startPair(t);
  accepted.pipe(accepted);
  for (let same = 0, before = value(); same < 20; same = value() === before ? same + 1 : 0) {
    before = value();
    client.write('x');
    await once(client, 'data');
  }
}

/** Resolves when all have been told that the stream has closed. */
export async function closed(stream: Readable | Writable): Promise<void> {
  if (stream.closed) await iterations(); // a socket is `closed` at once, and says so later
  else await new Promise((resolve) => stream.once('close', resolve));
}
