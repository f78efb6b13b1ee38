// A server like the service, with a handler that takes 100 ms.
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfiguration } from '../../../src/host/configuration.ts';
import { contentReply } from '../../../src/http/reply.ts';
import { createRouter } from '../../../src/http/router.ts';
import { createRoom, createServer } from '../../../src/server.ts';
import { listenOnPort } from '../../support/sockets.ts';

const reply = contentReply(200, 'text/plain', 'Hello');
const router = createRouter({ '/health': { GET: () => reply }, '/slow': { GET: () => sleep(100, reply) } });
const reports = { failed: console.error, refused() {}, ended() {}, dropped() {}, answered() {}, finished: undefined };
const fixed = { router, headRules: {}, isDraining: () => false, reports };
const configuration = readConfiguration(process.env);
const { listener } = createServer({ ...configuration, ...fixed, room: createRoom(configuration.maxConnections) });
console.log(`http://127.0.0.1:${await listenOnPort(listener)}`);
