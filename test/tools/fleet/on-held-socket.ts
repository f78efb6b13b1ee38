// One process is restarted on a listening socket such as a supervisor has: it stays open, and this process accepts no connection from it.
// Node accepts the connections of a listening socket in its event loop. So a thread listens, and its event loop is blocked from then on.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { descriptorOpenedBy } from '../../support/descriptors.ts';
import { listenOnPort } from '../../support/sockets.ts';
import { startLoad } from './load.ts';
import { startService } from './service.ts';

const RESTARTS = 20;
const REQUESTS = 1_000; // before each restart, so that most clients send again
const PAUSE_MS = 300;
const DELAY_MS = 500; // longer than the pauses, so that every client sends within this time and receives Connection: close
const SLOW_MS = 800; // longer than the delay, so that some requests are incomplete at every restart

/** Restarts the process under load, and prints the results. */
export async function restartOnHeldSocket(): Promise<void> {
  let port = 0;
  const fd = await descriptorOpenedBy(async () => {
    [port] = await once(new Worker(new URL(import.meta.url)), 'message');
  });
  const start = () => startService({ SHUTDOWN_DELAY_MS: String(DELAY_MS) }, fd);
  let service = await start();
  const load = startLoad([{ host: '127.0.0.1', port }], [
    [12, { keeps: true }], [12, { keeps: false }], [60, { keeps: true, pauseMs: PAUSE_MS }], [4, { keeps: true, slowMs: SLOW_MS }],
  ]);
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    await load.more(REQUESTS);
    await service.stop();
    service = await start();
  }
  await load.more(REQUESTS);
  await load.stop(`A socket that is handed over, ${RESTARTS} restarts`);
  await service.stop();
}

if (!isMainThread) {
  parentPort?.postMessage(await listenOnPort(createServer()));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
