// The rows of `--crowd` without honest clients: whole requests that get no reply when the server stops, or makes room for new connections,
// and what a new connection costs when all places are taken.
import type { Socket } from 'node:net';
import { setImmediate as iteration, setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../support/process.ts';
import { startAttackers } from './beside.ts';
import { judge, LOSS_BOUNDS, type Verdict } from './bounds.ts';
import type { Group } from './crowds.ts';
import { cpuTimeOf, startServer, type Server, type Servers } from './processes.ts';
import { ask, HEALTH, longHead, loopbackAddress, openReady, openSocket } from './requests.ts';
import { table } from './tables.ts';

/** What is tried, `times` with a new server each time; the figures are added up. */
export type Trial = {
  readonly figure: 'lost' | 'CPU ms';
  readonly times: number;
  readonly places: number; // for HTTP, and as many for HTTPS
  readonly measure: (server: Server) => Promise<number>;
};

const REQUESTS_AT_ONCE = 200;
const PLACES = 1_000;
const MANY_PLACES = 9_000;
// With the requests that are counted, there are as many clients over TLS as there are places for HTTPS.
const WORKERS: readonly Group[] = [['short', 400], ['chunks', 400], ['TLS', PLACES - REQUESTS_AT_ONCE]];
const NEW_CONNECTIONS = 150;
const WARM_UP_MS = 1_000; // until the others are at work
const DELAY_MS = 300;
const LONGEST_WAIT_MS = 15_000;

const stop = ({ pid }: Server) => process.kill(pid, 'SIGTERM');
const connectMore = ({ tlsPort: port }: Server) => {
  for (let count = 0; count < NEW_CONNECTIONS; count += 1) openSocket({ port, isTls: true });
};

/** The rows, by name. */
export const TRIALS: ReadonlyMap<string, Trial> = new Map<string, Trial>([
  ['stop at once, TCP', { figure: 'lost', times: 20, places: PLACES, measure: (server) => countLost(server, false, [], stop) }],
  ['stop at once, TLS', { figure: 'lost', times: 20, places: PLACES, measure: (server) => countLost(server, true, [], stop) }],
  ['stop at work', { figure: 'lost', times: 3, places: PLACES, measure: (server) => countLost(server, true, WORKERS, stop) }],
  ['room at work', { figure: 'lost', times: 3, places: PLACES, measure: (server) => countLost(server, true, WORKERS, connectMore) }],
  ['full house', { figure: 'CPU ms', times: 1, places: MANY_PLACES, measure: costOfConnection }],
]);

/** Tries these rows with each server, and prints the figures. Returns those of the service. */
export async function printLoss(servers: Servers, trials: ReadonlyMap<string, Trial>, env: Environment): Promise<Verdict[]> {
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const [name, { figure, times, places, measure }] of trials) {
    for (const [server, script] of servers) {
      let measured = 0;
      for (let time = 0; time < times; time += 1) {
        const started = await startServer(script, { MAX_CONNECTIONS: String(places), ...env });
        measured += await measure(started);
        await started.stop();
      }
      rows.push([name, server, figure, measured.toFixed(2)]);
      const bounds = new Map(Array.from(LOSS_BOUNDS).filter(([bounded]) => bounded === figure));
      if (server === 'service') verdicts.push(...judge(new Map([[figure, measured]]), bounds, 0, `${name}: `));
    }
  }
  if (rows.length > 0) console.log(table([['tried', 'server', 'figure', 'measured'], ...rows], 3));
  return verdicts;
}

/**
 * How many requests are lost. Their connections have been used before. All are sent while the server is paused, so it finds them at once,
 * and, without others at work, what `disturb` does with them. With others at work, that comes a while later.
 */
async function countLost(server: Server, isTls: boolean, workers: readonly Group[], disturb: (server: Server) => void): Promise<number> {
  const atWork = workers.length > 0;
  const request = atWork ? longHead(3) : HEALTH;
  const attackers = await startAttackers(server, workers);
  const sockets: Socket[] = [];
  while (sockets.length < REQUESTS_AT_ONCE) {
    const socket = await openReady({ port: isTls ? server.tlsPort : server.port, isTls });
    sockets.push(socket);
    await ask(socket, request);
  }
  attackers.attack();
  if (atWork) await sleep(WARM_UP_MS);
  process.kill(server.pid, 'SIGSTOP');
  const late = sleep(LONGEST_WAIT_MS, false, { ref: false });
  const replies = sockets.map((socket) => Promise.race([ask(socket, request).then(() => true, () => false), late]));
  while (sockets.some(({ writableLength }) => writableLength > 0)) await iteration();
  if (!atWork) disturb(server);
  process.kill(server.pid, 'SIGCONT');
  if (atWork) await sleep(DELAY_MS).then(() => disturb(server));
  const replied = await Promise.all(replies);
  for (const socket of sockets) socket.destroy();
  attackers.stop();
  return replied.filter((isReplied) => !isReplied).length;
}

const MEASURED = 500; // new connections, one after the other
const WARM_UP = 200;
const SETTLE_MS = 20;

/** The CPU time, in ms, of a new connection and its request when each place is taken by another address: an idle one is closed for it. */
async function costOfConnection(server: Server): Promise<number> {
  const sockets: Socket[] = [];
  async function open(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const socket = await openReady({ port: server.port, isTls: false, from: loopbackAddress(sockets.length) });
      sockets.push(socket);
      await ask(socket, HEALTH);
    }
  }
  await open(MANY_PLACES + WARM_UP);
  const { cpu } = await cpuTimeOf(server, SETTLE_MS, () => open(MEASURED));
  for (const socket of sockets) socket.destroy();
  return cpu / MEASURED / 1000;
}
