// A listening socket such as a supervisor has: it stays open, and this process accepts no connection from it. Node
// accepts connections in its event loop. So a thread listens, and its event loop is blocked from then on.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { descriptorOpenedBy } from '../../support/descriptors.ts';
import { listenOnPort } from '../../support/sockets.ts';

/** Listens on a free port. */
export async function listenElsewhere(): Promise<{ fd: number; port: number }> {
  let port = 0;
  const fd = await descriptorOpenedBy(async () => {
    [port] = await once(new Worker(new URL(import.meta.url)), 'message');
  });
  return { fd, port };
}

if (!isMainThread) {
  parentPort?.postMessage(await listenOnPort(createServer()));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
