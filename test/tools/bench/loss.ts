// The rows of `--crowd` without honest clients: whole requests that get no reply when the server stops, or makes room for new connections.
import type { Socket } from 'node:net';
import { setImmediate as iteration, setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../support/process.ts';
import { judge, type Verdict } from './bounds.ts';
import { startServer, type Server, type Servers } from './processes.ts';
import { ask, LONG_HEAD, openReady, openSocket } from './requests.ts';
import { table } from './tables.ts';

const REQUESTS = 200;
const NEW_CONNECTIONS = 150; // and as many idle ones, which have been used since the others
const TIMES = 3; // with a new server each time; what is lost is added up
const LONGEST_WAIT_MS = 15_000;

/** How to connect, and what happens to a server whose places are all taken. */
type Trial = { readonly isTls: boolean; readonly disturb: (server: Server, isTls: boolean) => void };

const stop = ({ pid }: Server) => process.kill(pid, 'SIGTERM');
const connectMore = (server: Server, isTls: boolean) => {
  for (let count = 0; count < NEW_CONNECTIONS; count += 1) openSocket({ port: portOf(server, isTls), isTls });
};

/** The rows, by name. */
export const TRIALS: ReadonlyMap<string, Trial> = new Map([
  ['stop, TCP', { isTls: false, disturb: stop }],
  ['stop, TLS', { isTls: true, disturb: stop }],
  ['room, TCP', { isTls: false, disturb: connectMore }],
  ['room, TLS', { isTls: true, disturb: connectMore }],
]);

/** Tries these rows with each server, and prints the figures. Returns those of the service. */
export async function printLoss(servers: Servers, trials: ReadonlyMap<string, Trial>, env: Environment): Promise<Verdict[]> {
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const [name, trial] of trials) {
    for (const [server, script] of servers) {
      let lost = 0;
      for (let time = 0; time < TIMES; time += 1) {
        const started = await startServer(script, { MAX_CONNECTIONS: String(REQUESTS + NEW_CONNECTIONS), ...env });
        lost += await countLost(started, trial);
        await started.stop();
      }
      rows.push([name, server, String(lost)]);
      if (server === 'service') verdicts.push(...judge(new Map([['lost', lost]]), new Map([['lost', 0]]), `${name}: `));
    }
  }
  if (rows.length > 0) console.log(table([['tried', 'server', 'lost'], ...rows], 2));
  return verdicts;
}

// How many requests are lost. All are sent while the server is paused, so it finds them together with what `disturb` does.
async function countLost(server: Server, { isTls, disturb }: Trial): Promise<number> {
  const sockets: Socket[] = [];
  while (sockets.length < REQUESTS + NEW_CONNECTIONS) {
    const socket = await openReady({ port: portOf(server, isTls), isTls });
    sockets.push(socket);
    await ask(socket, LONG_HEAD);
  }
  process.kill(server.pid, 'SIGSTOP');
  const late = sleep(LONGEST_WAIT_MS, false, { ref: false });
  const replies = sockets.slice(0, REQUESTS).map((socket) =>
    Promise.race([ask(socket, LONG_HEAD).then(() => true, () => false), late]));
  while (sockets.some(({ writableLength }) => writableLength > 0)) await iteration();
  disturb(server, isTls);
  process.kill(server.pid, 'SIGCONT');
  const replied = await Promise.all(replies);
  for (const socket of sockets) socket.destroy();
  return replied.filter((isReplied) => !isReplied).length;
}

const portOf = ({ port, tlsPort }: Server, isTls: boolean) => (isTls ? tlsPort : port);
