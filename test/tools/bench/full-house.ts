// Measures what a new connection costs when all places are taken, each by another address.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime } from '../../support/usage.ts';
import { startServer } from './processes.ts';
import { requestBytes } from './request-kinds.ts';
import { loopbackAddress, openReady } from './sockets.ts';

/** How many places there are. */
export const PLACES = 9_000;
const NEW_CONNECTIONS = 500;
const WARM_UP = 200;
const SETTLE_MS = 20; // the server is idle when its CPU time is read

/** The CPU time of the server for a new connection and its request, in milliseconds. One that is idle is closed for each. */
export async function fullHouseCost(script: string): Promise<number> {
  const server = await startServer(script, { MAX_CONNECTIONS: String(PLACES) });
  const sockets: Socket[] = [];

  async function open(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const socket = await openReady({ port: server.port, isTls: false, from: loopbackAddress(sockets.length) });
      socket.on('error', () => {}).write(requestBytes('Host only', server.port, '/health'));
      sockets.push(socket);
      await once(socket, 'data');
    }
  }

  await open(PLACES + WARM_UP);
  await sleep(SETTLE_MS);
  const before = cpuTime(server.pid);
  await open(NEW_CONNECTIONS);
  await sleep(SETTLE_MS);
  const cost = (cpuTime(server.pid) - before) / NEW_CONNECTIONS / 1000;
  for (const socket of sockets) socket.destroy();
  await server.stop();
  return cost;
}
