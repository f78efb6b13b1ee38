// Clients that check every reply, and never send a lost request again.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { anyRequest } from '../api.ts';

// SHUTDOWN_DELAY_MS is 500: so who pauses for less is told in time that the connection closes, and some of the slow
// requests are incomplete at each restart. All pause after each reply, for a random time up to `pauseMs`.
const CLIENTS = [
  { count: 4, keeps: false, slowMs: 0, pauseMs: 100 }, // they connect for each request. Others keep their connections.
  { count: 24, keeps: true, slowMs: 0, pauseMs: 300 },
  { count: 4, keeps: true, slowMs: 800, pauseMs: 0 }, // they send half of their content so much later
];
const DOWN_MS = 1_000; // after it, clients come back that were told to go, or refused

/** Starts clients at each address, over TLS if that has a `ca`. `isEverDown`: if nobody listens, nothing is lost. */
export function startLoad(addresses: readonly https.RequestOptions[], isEverDown: boolean) {
  const faults: string[] = [];
  let sent = 0;
  let isStopping = false;

  async function run(address: https.RequestOptions, { keeps, slowMs, pauseMs }: (typeof CLIENTS)[number]) {
    const { Agent, request: openRequest } = address.ca === undefined ? http : https;
    const agent = new Agent({ keepAlive: keeps, maxSockets: 1 });
    for (; !isStopping; sent += 1) {
      const { path, expected } = anyRequest();
      const request = openRequest({ ...address, agent, path });
      request.on('error', () => {}); // the first one rejects what is awaited
      if (slowMs > 0) {
        request.setHeader('Content-Length', 2).write('a');
        setTimeout(() => request.end('b'), slowMs);
      } else request.end();
      try {
        const [response] = await once(request, 'response');
        const body = await text(response);
        if (!body.includes(expected)) throw new Error(`${response.statusCode}: ${JSON.stringify(body)}`);
        const isGoing = isEverDown && response.headers.connection === 'close'; // or it was not to be kept
        await delay(isGoing ? DOWN_MS : Math.random() * pauseMs);
      } catch (error) {
        if (isEverDown && String(error).includes('connect ECONNREFUSED')) await delay(DOWN_MS);
        else faults.push(String(error));
      }
    }
  }
  const ends = addresses.flatMap((address) => CLIENTS.flatMap((habits) =>
    Array.from({ length: habits.count }, () => run(address, habits))));

  return {
    /** Resolves when 400 more requests have been answered. */
    async more(): Promise<void> {
      for (const goal = sent + 400; sent < goal;) await delay(10);
    },
    async stop(title: string): Promise<void> {
      isStopping = true;
      await Promise.all(ends);
      console.log(`${title}: ${sent} sent, ${faults.length} lost`, ...new Set(faults));
      if (faults.length > 0) process.exitCode = 1;
    },
  };
}
