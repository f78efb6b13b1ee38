// A server like the service, with a handler that takes 100 ms, and one that uses a pool: with seats, and without.
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfiguration } from '../../../src/host/configuration.ts';
import { contentReply } from '../../../src/http/reply.ts';
import { createRouter } from '../../../src/http/router.ts';
import { createSeats } from '../../../src/http/seats.ts';
import { createServer } from '../../../src/server/server.ts';
import { clientOf, createFairServer as createHttpServer } from '../../../src/turns/fair-server.ts';
import { listenOnPort } from '../../support/sockets.ts';

const reply = contentReply(200, 'text/plain', 'Hello');
const pool = Array.from({ length: 10 }, () => Promise.resolve()); // of each connection, the latest use, 50 ms long
let uses = 0;

async function handler() {
  uses += 1;
  const connection = uses % pool.length; // it is the next one that is free, because all uses take as long
  pool[connection] = pool[connection]?.then(() => sleep(50)) ?? Promise.resolve();
  await pool[connection];
  return reply;
}

const router = createRouter({
  '/health': { GET: () => reply }, '/slow': { GET: () => sleep(100, reply) },
  '/pool': { GET: { handler, seats: createSeats(10) } }, '/unseated': { GET: handler },
});
const ignored = { endedEarly() {}, dropped() {}, requestOver() {}, finished: undefined };
const { httpServer } = createServer({
  ...readConfiguration({}), router, clientOf, createHttpServer, headRules: {}, isDraining: () => false,
  reports: { ...ignored, requestFailed: console.error },
});
console.log(`http://127.0.0.1:${await listenOnPort(httpServer)}`);
