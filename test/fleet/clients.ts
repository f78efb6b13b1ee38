// Clients that send without pause on connections that are kept, count, check every reply, and never try again.
import { Agent, request as openRequest, type ClientRequest } from 'node:http';

export type Tally = {
  sent: number;
  lost: number;
  /** Of what was lost: why, and how often. */
  readonly reasons: Map<string, number>;
};

export type Clients = {
  readonly tally: Readonly<Tally>;
  /** Resolves when `count` requests have been sent. */
  readonly haveSent: (count: number) => Promise<void>;
  /** Lets them finish what they have begun. */
  readonly stop: () => Promise<void>;
};

export type ClientOptions = {
  readonly port: number;
  readonly quick: number;
  /** Clients that send half of the content, and the other half later. */
  readonly slow: number;
  readonly slowMs: number;
};

const PATIENCE_MS = 20_000;

/** Starts clients of both kinds. */
export function startClients({ port, quick, slow, slowMs }: ClientOptions): Clients {
  const tally: Tally = { sent: 0, lost: 0, reasons: new Map() };
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let isStopping = false;

  async function run(send: (request: ClientRequest) => void): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isStopping) {
      tally.sent += 1;
      const reason = await exchange(port, agent, `client ${tally.sent}`, send);
      if (reason !== undefined) {
        tally.lost += 1;
        tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
      }
      for (const { count, resolve } of waiting) if (tally.sent >= count) resolve();
    }
    agent.destroy();
  }

  function sendSlowly(request: ClientRequest): void {
    request.setHeader('Content-Length', 2);
    request.write('a');
    setTimeout(() => request.end('b'), slowMs);
  }

  const clients = [
    ...Array.from({ length: quick }, () => run((request) => request.end())),
    ...Array.from({ length: slow }, () => run(sendSlowly)),
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

// Resolves with what is wrong with the reply: undefined when nothing is.
function exchange(port: number, agent: Agent, name: string, send: (request: ClientRequest) => void): Promise<string | undefined> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve('code' in error ? `${String(error.code)}: ${error.message}` : error.message);
    const path = `/api/greetings?name=${encodeURIComponent(name)}`;
    const request = openRequest({ host: '127.0.0.1', port, agent, path }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('error', failed);
      response.on('end', () => {
        const isRight = body.startsWith(`{"message":"Hello, ${name}!","generatedAt":"`) && body.endsWith('+00:00"}');
        resolve(response.statusCode === 200 && isRight ? undefined : `status ${response.statusCode}: ${JSON.stringify(body)}`);
      });
    });
    request.on('error', failed);
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error(`no reply within ${PATIENCE_MS} ms`)));
    send(request);
  });
}
