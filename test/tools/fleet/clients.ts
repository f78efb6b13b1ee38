// Clients that send requests without end, check every reply, count, and never send a failed request again.
import { Agent, request as openRequest, type ClientRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** A TCP port, or a Unix socket. */
export type Address = { readonly host: string; readonly port: number } | { readonly socketPath: string };

export type Tally = {
  sent: number;
  lost: number;
  /** How often requests were lost, by reason. */
  readonly reasons: Map<string, number>;
  /** The longest time to a reply, in milliseconds. The slow clients do not count. */
  longestMs: number;
};

export type Clients = {
  readonly tally: Readonly<Tally>;
  /** Resolves when `count` requests have been sent. */
  readonly haveSent: (count: number) => Promise<void>;
  /** Stops the clients after the requests that are in progress. */
  readonly stop: () => Promise<void>;
};

export type ClientOptions = {
  readonly address: Address;
  /** Clients that keep their connections and send without pause. */
  readonly keeping: number;
  /** Clients that connect for each request, without pause. */
  readonly connecting?: number;
  /** Clients that keep their connections and pause after each reply, for a random time up to `pauseMs`. */
  readonly pausing?: number;
  readonly pauseMs?: number;
  /** Clients that keep their connections, and send the second half of the content `slowMs` after the first. */
  readonly slow: number;
  readonly slowMs: number;
};

const PATIENCE_MS = 20_000;

/** Starts the clients. */
export function startClients({ address, keeping, connecting = 0, pausing = 0, pauseMs = 0, slow, slowMs }: ClientOptions): Clients {
  const tally: Tally = { sent: 0, lost: 0, reasons: new Map(), longestMs: 0 };
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let isStopping = false;

  async function run(keepAlive: boolean, exchange: (agent: Agent, name: string) => Promise<string | undefined>): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!isStopping) {
      tally.sent += 1;
      const reason = await exchange(agent, `client ${tally.sent}`);
      if (reason !== undefined) {
        tally.lost += 1;
        tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
      }
      for (const { count, resolve } of waiting) if (tally.sent >= count) resolve();
    }
    agent.destroy();
  }

  async function exchangeQuickly(agent: Agent, name: string): Promise<string | undefined> {
    const sentAt = performance.now();
    const reason = await exchange(address, agent, name, (request) => request.end());
    tally.longestMs = Math.max(tally.longestMs, performance.now() - sentAt);
    return reason;
  }

  function exchangeSlowly(agent: Agent, name: string): Promise<string | undefined> {
    return exchange(address, agent, name, (request) => {
      request.setHeader('Content-Length', 2);
      request.write('a');
      setTimeout(() => request.end('b'), slowMs);
    });
  }

  async function exchangeAndPause(agent: Agent, name: string): Promise<string | undefined> {
    const reason = await exchangeQuickly(agent, name);
    await delay(Math.random() * pauseMs);
    return reason;
  }

  const clients = [
    ...Array.from({ length: keeping }, () => run(true, exchangeQuickly)),
    ...Array.from({ length: connecting }, () => run(false, exchangeQuickly)),
    ...Array.from({ length: pausing }, () => run(true, exchangeAndPause)),
    ...Array.from({ length: slow }, () => run(true, exchangeSlowly)),
  ];
  return {
    tally,
    haveSent: (count) => new Promise((resolve) => waiting.push({ count, resolve })),
    stop: async () => {
      isStopping = true;
      await Promise.all(clients);
    },
  };
}

// Resolves with what is wrong with the reply; undefined when it is correct.
function exchange(address: Address, agent: Agent, name: string, send: (request: ClientRequest) => void): Promise<string | undefined> {
  return new Promise((resolve) => {
    const path = `/api/greetings?name=${encodeURIComponent(name)}`;
    const request = openRequest({ ...address, agent, path }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('error', failed);
      response.on('end', () => {
        const isRight = body.startsWith(`{"message":"Hello, ${name}!","generatedAt":"`) && body.endsWith('+00:00"}');
        resolve(response.statusCode === 200 && isRight ? undefined : `status ${response.statusCode}: ${JSON.stringify(body)}`);
      });
    });
    function failed(error: Error): void {
      const connection = request.reusedSocket ? 'on a kept connection' : 'on a new connection';
      resolve(`${'code' in error ? `${String(error.code)}: ` : ''}${error.message}, ${connection}`);
    }
    request.on('error', failed);
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error(`no reply within ${PATIENCE_MS} ms`)));
    send(request);
  });
}
