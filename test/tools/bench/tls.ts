// Measures what a request and a connection cost over TLS. The clients are in this process, which is not on the CPU of the servers.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { makeCertificate } from '../../support/certificates.ts';
import { cpuTime } from '../../support/usage.ts';
import { startServer, type Server } from './processes.ts';
import { requestBytes } from './request-kinds.ts';
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
  const folder = mkdtempSync(join(tmpdir(), 'greeting-'));
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  const env = { HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const results = Array.from(servers, ([name, script]) => ({ name, script, figures: { request: [], connection: [] } as Figures }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { script, figures } of results) await measureRound(await startServer(script, env, [], 'https'), figures);
  }
  rmSync(folder, { recursive: true });

  const [floor] = results;
  const rows = results.map(({ name, figures }) => [name, ...(['request', 'connection'] as const).flatMap((kind) =>
    [median(figures[kind]).toFixed(1), medianRatio(figures[kind], floor?.figures[kind] ?? []).toFixed(2)])]);
  console.log(table([['server', 'kept-alive request µs', 'ratio', 'connection with handshake µs', 'ratio'], ...rows], 1));
}

async function measureRound(server: Server, figures: Figures): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(server.port)));
  await sendAll(sockets, server.port, REQUESTS * 2); // until V8 has compiled the code
  figures.request.push(await costOf(server, REQUESTS, () => sendAll(sockets, server.port, REQUESTS)));
  for (const socket of sockets) socket.destroy();
  await openAll(server.port, HANDSHAKES);
  figures.connection.push(await costOf(server, HANDSHAKES, () => openAll(server.port, HANDSHAKES)));
  await server.stop();
}

async function costOf({ pid }: Server, count: number, work: () => Promise<void>): Promise<number> {
  await sleep(SETTLE_MS);
  const before = cpuTime(pid);
  await work();
  await sleep(SETTLE_MS);
  return (cpuTime(pid) - before) / count;
}

async function open(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }).setNoDelay(true);
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends requests on all connections at once, on each the next one when the reply has come. */
async function sendAll(sockets: readonly TLSSocket[], port: number, count: number): Promise<void> {
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
async function ask(socket: TLSSocket, port: number): Promise<void> {
  socket.write(requestBytes('Host only', port, '/api/greetings'));
  await once(socket, 'data');
}
