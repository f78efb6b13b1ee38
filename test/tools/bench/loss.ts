// Counts the whole requests that get no reply when the server stops, or makes room for new connections.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAttackers } from './beside.ts';
import type { Server } from './processes.ts';
import { ask, HEALTH, longHead, openReady, openSocket } from './requests.ts';

export type LossCase = {
  readonly isTls: boolean;
  /** Whether others are at work, at the same address. */
  readonly atWork: boolean;
  /** What happens when the requests have been sent: at once or, with others at work, a while later. */
  readonly then: 'stop' | 'new connections';
  /** How often this is tried, each time with a new server. */
  readonly times: number;
};

/** The cases in which requests could be lost, by name. */
export const LOSS_CASES: ReadonlyMap<string, LossCase> = new Map<string, LossCase>([
  ['stop at once, TCP', { isTls: false, atWork: false, then: 'stop', times: 20 }],
  ['stop at once, TLS', { isTls: true, atWork: false, then: 'stop', times: 20 }],
  ['stop at work', { isTls: true, atWork: true, then: 'stop', times: 3 }],
  ['room at work', { isTls: true, atWork: true, then: 'new connections', times: 3 }],
]);

export const REQUESTS_AT_ONCE = 200;
// With the requests that are counted, there are as many clients over TLS as there are places for HTTPS.
export const PLACES = 1_000; // for HTTP, and as many for HTTPS
const WORKERS = [
  { attack: 'short', clients: 400 },
  { attack: 'chunks', clients: 400 },
  { attack: 'TLS', clients: PLACES - REQUESTS_AT_ONCE },
];
const NEW_CONNECTIONS = 150;
const WARM_UP_MS = 1_000; // until the others are at work
const DELAY_MS = 300;
const LONGEST_WAIT_MS = 15_000;

/**
 * How many requests are lost. Their connections have been used before. All are sent while the server is paused, so it finds
 * them at once, and, without others at work, the signal with them.
 */
export async function countLost(server: Server, { isTls, atWork, then }: LossCase): Promise<number> {
  const request = atWork ? longHead(3) : HEALTH;
  const attackers = await startAttackers(server, atWork ? WORKERS : []);
  const target = { port: isTls ? server.tlsPort : server.port, isTls };
  const sockets: Socket[] = [];
  while (sockets.length < REQUESTS_AT_ONCE) {
    const socket = await openReady(target);
    sockets.push(socket);
    await ask(socket, request);
  }
  const newOnes: Socket[] = [];
  function disturb(): void {
    if (then === 'stop') process.kill(server.pid, 'SIGTERM');
    else while (newOnes.length < NEW_CONNECTIONS) newOnes.push(openSocket(target).on('error', () => {}));
  }

  attackers.attack();
  if (atWork) await sleep(WARM_UP_MS);
  const replies = sockets.map(hasReply);
  process.kill(server.pid, 'SIGSTOP');
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(request, resolve))));
  if (!atWork) disturb();
  process.kill(server.pid, 'SIGCONT');
  if (atWork) await sleep(DELAY_MS).then(disturb);
  const replied = await Promise.all(replies);
  for (const socket of [...sockets, ...newOnes]) socket.destroy();
  attackers.stop();
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
