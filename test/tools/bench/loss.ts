// Counts the whole requests that get no reply when the server stops, or makes room for new connections.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAttackers, type Group } from './beside.ts';
import { startServer, type Environment, type Server } from './processes.ts';
import { openReady, openSocket } from './sockets.ts';

export type LossCase = {
  readonly isTls: boolean;
  readonly request: Buffer;
  /** Those that are at work at the same address, if any. */
  readonly groups: readonly Group[];
  /** How long the requests have been sent, in milliseconds, when the server is told to stop, or new connections come. */
  readonly delayMs: number;
  readonly then: 'stop' | 'new connections';
  readonly times: number;
};

export type Loss = { readonly sent: number; readonly lost: number };

const REQUESTS_AT_ONCE = 200;
const NEW_CONNECTIONS = 150;
const WARM_UP_MS = 1_000; // until the others are at work
const LONGEST_WAIT_MS = 15_000;
const SERVER_ENV = { MAX_CONNECTIONS: '1000' }; // for HTTP, and as many for HTTPS

/** Plays the case as often as it says, each time with a new server, and counts. */
export async function countLost(script: string, tlsEnv: Environment, lossCase: LossCase): Promise<Loss> {
  let lost = 0;
  for (let time = 0; time < lossCase.times; time += 1) {
    const server = await startServer(script, { ...SERVER_ENV, ...tlsEnv }, [], ['http', 'https']);
    lost += await lostOf(server, lossCase);
    await server.stop();
  }
  return { sent: lossCase.times * REQUESTS_AT_ONCE, lost };
}

// The connections have been used before. All requests are sent while the server is paused, so it finds them at once, and with a delay of 0
// the signal with them.
async function lostOf(server: Server, { isTls, request, groups, delayMs, then }: LossCase): Promise<number> {
  const attackers = await startAttackers(server, groups);
  const target = { port: isTls ? server.tlsPort : server.port, isTls };
  const sockets: Socket[] = [];
  while (sockets.length < REQUESTS_AT_ONCE) {
    const socket = await openReady(target);
    sockets.push(socket);
    socket.write(request);
    await once(socket, 'data');
  }
  const newOnes: Socket[] = [];
  function disturb(): void {
    if (then === 'stop') process.kill(server.pid, 'SIGTERM');
    else while (newOnes.length < NEW_CONNECTIONS) newOnes.push(openSocket(target).on('error', () => {}));
  }

  attackers.attack();
  if (groups.length > 0) await sleep(WARM_UP_MS);
  const replies = sockets.map(hasReply);
  process.kill(server.pid, 'SIGSTOP');
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(request, resolve))));
  if (delayMs === 0) disturb();
  process.kill(server.pid, 'SIGCONT');
  if (delayMs > 0) await sleep(delayMs).then(disturb);
  const replied = await Promise.all(replies);
  for (const socket of [...sockets, ...newOnes]) socket.destroy();
  await attackers.stop();
  return replied.filter((isReplied) => !isReplied).length;
}

/** Whether a reply begins to arrive before the connection ends, and within the longest wait. */
function hasReply(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT_MS, false);
    const end = (isReplied: boolean) => { clearTimeout(timer); resolve(isReplied); };
    socket.once('data', () => end(true)).once('close', () => end(false)).on('error', () => {});
  });
}
