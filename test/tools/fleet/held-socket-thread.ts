// A thread that listens and then stops. Node accepts the connections of every listening socket in its event loop. The
// event loop of this thread is blocked, so only the processes that the socket is handed over to accept connections.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const path: unknown = workerData;
const server = createServer();
server.listen(typeof path === 'string' ? { path } : { port: 0, host: '127.0.0.1' });
await once(server, 'listening');
const address = server.address();
parentPort?.postMessage(typeof address === 'string' ? { socketPath: address } : { host: address?.address, port: address?.port });
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
