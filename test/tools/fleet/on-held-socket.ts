// One process of the service on a socket that a supervisor holds open, restarted several times.
import { startClients } from './clients.ts';
import { holdSocket } from './held-socket.ts';
import { mistakesIn, report } from './report.ts';
import { startServiceOn, type RunningProcess } from './service-process.ts';

const AT_LEAST = 25_000; // requests in each of the two orders
const RESTARTS = 10;
const PAUSE_MS = 300;
const DELAY_MS = 500; // longer than the pauses, so that every client sends within this time and receives Connection: close
const SLOW_MS = 800; // longer than the delay, so that some requests are incomplete at every restart

/** Restarts the process under load, in both orders, prints the results, and resolves with whether there was no mistake. */
export async function restartOnHeldSocket(kind: 'TCP' | 'Unix'): Promise<boolean> {
  const { fd, address } = await holdSocket(kind);
  const outcomes: boolean[] = [];
  for (const order of ['stop, then start', 'start, then stop'] as const) {
    const mistakes: string[] = [];
    const start = () => startServiceOn(fd, { SHUTDOWN_DELAY_MS: String(DELAY_MS) }, (line) => mistakes.push(...mistakesIn(line, 'The service')));
    async function stop(service: RunningProcess): Promise<void> {
      const code = await service.stop();
      if (code !== 0) mistakes.push(`The service has ended with exit code ${String(code)}`);
    }

    let service = await start();
    const clients = startClients({ address, keeping: 12, connecting: 12, pausing: 60, pauseMs: PAUSE_MS, slow: 4, slowMs: SLOW_MS });
    const { tally } = clients;
    for (let restart = 1; restart <= RESTARTS; restart++) {
      // All clients send again before the next restart.
      await clients.haveSent(Math.max(tally.sent + 500, (AT_LEAST / (RESTARTS + 1)) * restart));
      const old = service;
      if (order === 'stop, then start') await stop(old);
      service = await start();
      if (order === 'start, then stop') await stop(old);
    }
    if (tally.sent < AT_LEAST) await clients.haveSent(AT_LEAST);
    await clients.stop();
    await stop(service);
    outcomes.push(report(`${kind} socket, ${RESTARTS} restarts, ${order}`, tally, mistakes));
  }
  return !outcomes.includes(false);
}
