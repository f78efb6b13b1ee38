// A server like the service, with a handler that takes 100 ms, and one that uses a pool: with seats, and without.
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfiguration } from '../../../src/host/configuration.ts';
import { contentReply } from '../../../src/http/reply.ts';
import { createRouter } from '../../../src/http/router.ts';
import { createSeats } from '../../../src/http/seats.ts';
import { createServer } from '../../../src/server/server.ts';
import { clientOf, createFairServer } from '../../../src/turns/fair-server.ts';
import { listenOnPort } from '../../support/sockets.ts';
import { usePool } from './pool.ts';

const reply = contentReply(200, 'text/plain', 'Hello');
const handler = () => usePool().then(() => reply);
const router = createRouter({
  '/health': { GET: () => reply }, '/slow': { GET: () => sleep(100, reply) },
  '/pool': { GET: { handler, seats: createSeats(10) } }, '/unseated': { GET: handler },
});
const ignored = { endedEarly() {}, dropped() {}, requestOver() {}, finished: undefined };
const reports = { ...ignored, requestFailed: console.error };
const fixed = { router, headRules: {}, isDraining: () => false, reports, clientOf };
const { maxConnections, ...configuration } = readConfiguration(process.env);
const { httpServer } = createServer({
  ...configuration, ...fixed, createHttpServer: (own) => createFairServer({ ...own, maxConnections }),
});
console.log(`http://127.0.0.1:${await listenOnPort(httpServer)}`);
