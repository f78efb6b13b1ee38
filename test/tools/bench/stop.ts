// Counts the requests that are lost when the service stops: sent on a connection that is kept alive, and not answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { tlsVariables } from '../../support/certificates.ts';
import { requestBytes } from '../../support/exchange.ts';
import { ask, openSocket } from './clients.ts';
import { SERVICE, startServer } from './processes.ts';
import { figure, table } from './report.ts';

const CLIENTS = 60;
const STOPS = 4; // with a new server each time
const PAUSES_MS = [0, 50, 100, 150]; // of a quarter of the clients each, between requests
const REQUEST = requestBytes('GET', '/health', []);

/** Stops the service several times, over TCP and over TLS, and prints how many requests were lost. */
export async function printLost(): Promise<void> {
  const rows: string[][] = [];
  for (const [over, env] of Object.entries({ TCP: {}, TLS: tlsVariables() })) {
    const replies: (string | undefined)[] = [];
    for (let stop = 0; stop < STOPS; stop += 1) {
      const { pid, port } = await startServer(SERVICE, env);
      const clients = Array.from({ length: CLIENTS }, async (_, i) => {
        const socket = openSocket({ port, isTls: over === 'TLS' });
        while (!socket.closed) {
          const reply = await ask(socket, REQUEST);
          replies.push(reply);
          if (reply === undefined || /^connection: close/im.test(reply)) return;
          await sleep(PAUSES_MS[i % PAUSES_MS.length]);
        }
      });
      await sleep(500); // all are at work
      process.kill(pid, 'SIGTERM');
      await Promise.all(clients);
    }
    rows.push([over, `${replies.length}`, figure(replies.filter((reply) => reply === undefined).length, 0, 0)]);
  }
  console.log(`${CLIENTS} busy connections that are kept alive, SIGTERM, ${STOPS} times\n`);
  console.log(table([['over', 'requests', 'lost [bound]'], ...rows], 1));
}
