// A listening socket such as a supervisor has: it stays open, and this process accepts no connection from it. Node accepts the connections
// of every listening socket in its event loop. So a thread listens, and its event loop is blocked from then on.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { folderOfProcess } from '../../support/certificates.ts';
import { descriptorOpenedBy } from '../../support/descriptors.ts';
import type { Address } from './part.ts';

/** Listens until this process ends: on a free TCP port of this machine, or as a Unix socket in a new folder. `fd`: its descriptor here. */
export async function holdSocket(kind: 'TCP' | 'Unix') {
  let address: Address | undefined;
  const fd = await descriptorOpenedBy(async () => {
    const path = kind === 'Unix' ? join(folderOfProcess(), 'greeting.sock') : undefined;
    const thread = new Worker(new URL(import.meta.url), { workerData: path });
    [address] = await once(thread, 'message');
  });
  if (address === undefined) throw new Error('The thread does not listen.');
  return { fd, address };
}

if (!isMainThread) {
  const path: unknown = workerData;
  const server = createServer().listen(typeof path === 'string' ? { path } : { port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  parentPort?.postMessage(typeof address === 'string' ? { socketPath: address } : { host: address?.address, port: address?.port });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
