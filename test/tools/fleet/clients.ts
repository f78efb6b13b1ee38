// Clients that check every reply, and never send a failed request again.
import { once } from 'node:events';
import { Agent, request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../support/load.ts';

/** A TCP port, or a Unix socket. */
export type Address = { readonly host: string; readonly port: number } | { readonly socketPath: string };

export type Habits = {
  /** It keeps its connection; otherwise it connects for each request. */
  readonly keeps: boolean;
  /** It sends the second half of the content so much later than the first. 0: it sends no content. */
  readonly slowMs?: number;
  /** It pauses after each reply, for a random time up to this. */
  readonly pauseMs?: number;
};

const PATIENCE_MS = 20_000;
let clients = 0;

/** A client at `address`. `replied` is told how long each reply took, in milliseconds, the slow content not counted. */
export function createClient(address: Address, { keeps, slowMs = 0, pauseMs = 0 }: Habits, replied: (ms: number) => void): Client {
  const agent = new Agent({ keepAlive: keeps, maxSockets: 1 });
  const name = `client ${(clients += 1)}`;
  let sent = 0;
  return async () => {
    sent += 1;
    const sentAt = performance.now();
    const request = openRequest({ ...address, agent, path: `/api/greetings?name=${encodeURIComponent(`${name} ${sent}`)}` });
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error(`no reply within ${PATIENCE_MS} ms`)));
    request.on('error', () => {}); // the first one rejects what is awaited
    if (slowMs > 0) {
      request.setHeader('Content-Length', 2).write('a');
      setTimeout(() => request.end('b'), slowMs);
    } else request.end();
    try {
      const [response] = await once(request, 'response');
      const body = await text(response);
      const isRight = body.startsWith(`{"message":"Hello, ${name} ${sent}!","generatedAt":"`) && body.endsWith('+00:00"}');
      if (response.statusCode !== 200 || !isRight) throw new Error(`status ${response.statusCode}: ${JSON.stringify(body)}`);
    } catch (error) {
      throw new Error(`${String(error)}, on a ${request.reusedSocket ? 'kept' : 'new'} connection`);
    }
    replied(performance.now() - sentAt - slowMs);
    await delay(Math.random() * pauseMs);
    return 1;
  };
}
