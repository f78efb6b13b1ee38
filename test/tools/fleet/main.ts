// npm run test:fleet: restarts the service while clients send requests. The exit code is 1 when a request is lost.
import { restartBehind } from './behind-proxy.ts';
import { holdSocket } from './held-socket.ts';
import { createPart } from './part.ts';

const PATIENCE_MS = 300_000;
const AT_LEAST = 25_000; // requests in each of the two orders
const RESTARTS = 10;
const PAUSE_MS = 300;
const DELAY_MS = 500; // longer than the pauses, so that every client sends within this time and receives Connection: close
const SLOW_MS = 800; // longer than the delay, so that some requests are incomplete at every restart

setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 1000} s.`);
  process.exit(1);
}, PATIENCE_MS);

console.log(`Node ${process.version}.`);
const outcomes: boolean[] = [];
for (const tlsToMembers of [false, true]) {
  outcomes.push(await restartBehind('HAProxy', tlsToMembers), await restartBehind('nginx', tlsToMembers));
}
for (const kind of ['TCP', 'Unix'] as const) await restartOnHeldSocket(kind);
process.exit(outcomes.includes(false) ? 1 : 0);

// One process on a socket that a supervisor holds open is restarted in both orders.
async function restartOnHeldSocket(kind: 'TCP' | 'Unix'): Promise<void> {
  const { fd, address } = await holdSocket(kind);
  for (const order of ['stop, then start', 'start, then stop'] as const) {
    const part = createPart([address], [
      [12, { keeps: true }], [12, { keeps: false }], [60, { keeps: true, pauseMs: PAUSE_MS }], [4, { keeps: true, slowMs: SLOW_MS }],
    ]);
    const start = () => part.start('The service', { SHUTDOWN_DELAY_MS: String(DELAY_MS) }, fd);
    let service = await start();
    const load = part.startClients();
    for (let restart = 1; restart <= RESTARTS; restart++) {
      // All clients send again before the next restart.
      await load.reach(Math.max(load.sent() + 500, (AT_LEAST / (RESTARTS + 1)) * restart));
      const old = service;
      if (order === 'stop, then start') await old.stop();
      service = await start();
      if (order === 'start, then stop') await old.stop();
    }
    await load.reach(AT_LEAST);
    await load.stop();
    await service.stop();
    outcomes.push(part.report(`${kind} socket, ${RESTARTS} restarts, ${order}`, load));
  }
}
