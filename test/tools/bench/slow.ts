// A server like the service, with a handler that takes 100 ms, and one with seats that uses a pool.
import { setTimeout as sleep } from 'node:timers/promises';
import { contentReply } from '../../../src/http/reply.ts';
import { createSeats } from '../../../src/http/seats.ts';
import { createServer } from '../../../src/server/server.ts';
import { createFairServer as createHttpServer } from '../../../src/turns/fair-server.ts';
import { setupOf } from '../../support/service.ts';
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

const setup = setupOf({
  '/health': { GET: () => reply }, '/slow': { GET: () => sleep(100, reply) },
  '/pool': { GET: { handler, seats: createSeats(10) } },
});
const ignored = { endedEarly() {}, dropped() {}, requestOver() {}, finished: undefined };
const reports = { ...ignored, requestFailed: console.error };
const { httpServer } = createServer({ ...setup, createHttpServer, reports });
console.log(`http://127.0.0.1:${await listenOnPort(httpServer)}`);
