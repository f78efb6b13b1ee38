// A part of the test: a service that is restarted, clients that check every reply and never send a lost request again, and the mistakes.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoad, type Client, type Load } from '../../support/load.ts';
import { addressIn, startProcess, type Environment } from '../../support/process.ts';

/** A TCP port, or a Unix socket. With `ca`, which is the certificate: over TLS. */
export type Address = Pick<https.RequestOptions, 'host' | 'port' | 'socketPath' | 'servername' | 'headers' | 'ca'>;

type Habits = {
  readonly keeps: boolean; // its connection; otherwise it connects for each request
  readonly slowMs?: number; // it sends the second half of the content so much later than the first. 0: it sends no content
  readonly pauseMs?: number; // it pauses after each reply, for a random time up to this
};

const PATIENCE_MS = 20_000;
let clients = 0;

/** A client at `address`. `replied` is told how long each reply took, in milliseconds, the slow content not counted. */
function createClient(address: Address, { keeps, slowMs = 0, pauseMs = 0 }: Habits, replied: (ms: number) => void): Client {
  const { Agent, request: openRequest } = address.ca === undefined ? http : https;
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

/** A part of the test, with these clients at each of the addresses. Its mistakes are sentences. */
export function createPart(addresses: readonly Address[], habits: readonly (readonly [count: number, Habits])[]) {
  const mistakes: string[] = [];
  let longestMs = 0;
  const replied = (ms: number) => { longestMs = Math.max(longestMs, ms); };
  const clients = addresses.flatMap((address) =>
    habits.flatMap(([count, one]) => Array.from({ length: count }, () => createClient(address, one, replied))));

  return {
    mistakes,
    startClients: () => startLoad(clients),

    /** Starts the service, with the listening socket `fd` of this process if there is one. Resolves when it listens. */
    async start(name: string, env: Environment, fd?: number) {
      const service = startProcess(env, [], fd === undefined ? [] : [fd]);
      addressIn(await service.nextLine());
      const ended = service.ended();
      return {
        stop: async () => {
          service.child.kill('SIGTERM');
          const { lines, code } = await ended;
          if (code !== 0) mistakes.push(`${name} has ended with exit code ${code}`);
          const bad = lines.filter(({ level, connectionsCut = 0 }) => level !== 'info' || connectionsCut !== 0);
          mistakes.push(...bad.map((line) => `${name}: ${JSON.stringify(line)}`));
        },
      };
    },

    /** Prints the results under `title`, and returns whether no request was lost and there was no other mistake. */
    report(title: string, { sent, faults }: Load): boolean {
      const lost = Array.from(faults.values()).reduce((sum, count) => sum + count, 0);
      console.log(`${title}: ${sent()} sent, ${lost} lost, the longest wait ${Math.round(longestMs)} ms`);
      for (const [fault, count] of faults) console.log(`  ${count} times ${fault}`);
      for (const mistake of mistakes) console.log(`  ${mistake}`);
      return faults.size === 0 && mistakes.length === 0;
    },
  };
}
