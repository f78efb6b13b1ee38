// Measures what a request and a connection cost over TLS. The clients are in this process, which is not on the CPU of the servers.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime } from '../../support/usage.ts';
import { tlsEnvironment } from './certificate.ts';
import { startServer, type Server } from './processes.ts';
import { requestBytes } from './request-kinds.ts';
import { openReady } from './sockets.ts';
import { median, medianRatio } from './statistics.ts';
import { table } from './tables.ts';

const ROUNDS = 5;
const CONNECTIONS = 50;
const REQUESTS = 3_000; // of a measurement, on connections that are kept alive
const HANDSHAKES = 200; // of a measurement
const AT_ONCE = 10;
const SETTLE_MS = 20; // a server is idle when its CPU time is read

type Figures = { readonly request: number[]; readonly connection: number[] }; // µs of the server

/** Prints the CPU time of a request on a kept-alive connection, and of a connection with a handshake and one request. */
export async function printTls(servers: ReadonlyMap<string, string>): Promise<void> {
  const env = tlsEnvironment();
  const results = Array.from(servers, ([name, script]) => ({ name, script, figures: { request: [], connection: [] } as Figures }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { script, figures } of results) await measureRound(await startServer(script, env, [], ['https']), figures);
  }

  const [floor] = results;
  const rows = results.map(({ name, figures }) => [name, ...(['request', 'connection'] as const).flatMap((kind) =>
    [median(figures[kind]).toFixed(1), medianRatio(figures[kind], floor?.figures[kind] ?? []).toFixed(2)])]);
  console.log(table([['server', 'kept-alive request µs', 'ratio', 'connection with handshake µs', 'ratio'], ...rows], 1));
}

async function measureRound(server: Server, figures: Figures): Promise<void> {
  const { tlsPort } = server;
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(tlsPort)));
  await sendAll(sockets, tlsPort, REQUESTS * 2); // until V8 has compiled the code
  figures.request.push(await costOf(server, REQUESTS, () => sendAll(sockets, tlsPort, REQUESTS)));
  for (const socket of sockets) socket.destroy();
  await openAll(tlsPort, HANDSHAKES);
  figures.connection.push(await costOf(server, HANDSHAKES, () => openAll(tlsPort, HANDSHAKES)));
  await server.stop();
}

async function costOf({ pid }: Server, count: number, work: () => Promise<void>): Promise<number> {
  await sleep(SETTLE_MS);
  const before = cpuTime(pid);
  await work();
  await sleep(SETTLE_MS);
  return (cpuTime(pid) - before) / count;
}

function open(port: number): Promise<Socket> {
  return openReady({ port, isTls: true });
}

/** Sends requests on all connections at once, on each the next one when the reply has come. */
async function sendAll(sockets: readonly Socket[], port: number, count: number): Promise<void> {
  let left = count;
  await Promise.all(sockets.map(async (socket) => {
    for (; left > 0; await ask(socket, port)) left -= 1;
  }));
}

async function openAll(port: number, count: number): Promise<void> {
  let left = count;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (; left > 0;) {
      left -= 1;
      const socket = await open(port);
      await ask(socket, port);
      socket.destroy();
    }
  }));
}

// A reply comes in one record.
async function ask(socket: Socket, port: number): Promise<void> {
  socket.write(requestBytes('Host only', port, '/api/greetings'));
  await once(socket, 'data');
}
