// Clients that check every reply, and never send a lost request again.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** Where clients connect. With `ca`, which is the certificate: over TLS. */
type Address = Pick<https.RequestOptions, 'host' | 'port' | 'servername' | 'headers' | 'ca'>;

type Habits = {
  readonly keeps: boolean; // its connection; otherwise it connects for each request
  readonly slowMs?: number; // it sends the second half of the content so much later than the first. 0: it sends no content
  readonly pauseMs?: number; // it pauses after each reply, for a random time up to this
};

// A client at `address`: each call sends a request. Rejects when that is lost, or its reply is wrong.
function createClient(address: Address, { keeps, slowMs = 0, pauseMs = 0 }: Habits): () => Promise<void> {
  const { Agent, request: openRequest } = address.ca === undefined ? http : https;
  const agent = new Agent({ keepAlive: keeps, maxSockets: 1 });
  return async () => {
    const name = randomUUID();
    const request = openRequest({ ...address, agent, path: `/api/greetings?name=${name}` });
    request.on('error', () => {}); // the first one rejects what is awaited
    if (slowMs > 0) {
      request.setHeader('Content-Length', 2).write('a');
      setTimeout(() => request.end('b'), slowMs);
    } else request.end();
    const [response] = await once(request, 'response');
    const body = await text(response);
    const isRight = response.statusCode === 200 && body.includes(`Hello, ${name}!`);
    if (!isRight) throw new Error(`status ${response.statusCode}: ${JSON.stringify(body)}`);
    await delay(Math.random() * pauseMs);
  };
}

/** Starts clients with these habits at each of the addresses. They send requests until they are stopped. */
export function startLoad(addresses: readonly Address[], habits: readonly (readonly [count: number, Habits])[]) {
  const faults = new Map<string, number>(); // and how often
  const goals: (() => void)[] = [];
  let sent = 0;
  let isStopping = false;
  const clients = addresses.flatMap((address) =>
    habits.flatMap(([count, one]) => Array.from({ length: count }, () => createClient(address, one))));
  const ends = clients.map(async (send) => {
    while (!isStopping) {
      await send().catch((error: unknown) => faults.set(String(error), (faults.get(String(error)) ?? 0) + 1));
      sent += 1;
      for (const goal of goals) goal();
    }
  });
  return {
    /** Resolves when `count` more requests have been sent. */
    async more(count: number): Promise<void> {
      const goal = sent + count;
      await new Promise<void>((resolve) => goals.push(() => { if (sent >= goal) resolve(); }));
    },
    /** Stops the clients, and prints the results under `title`. The process will exit with 1 when a request was lost. */
    async stop(title: string): Promise<void> {
      isStopping = true;
      await Promise.all(ends);
      const lost = Array.from(faults.values()).reduce((sum, count) => sum + count, 0);
      console.log(`${title}: ${sent} sent, ${lost} lost`);
      for (const [fault, count] of faults) console.log(`  ${count} times ${fault}`);
      if (lost > 0) process.exitCode = 1;
    },
  };
}
