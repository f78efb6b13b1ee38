// The service, with its clock for time limits in the hands of a test, and clients whose connections are seen from both sides.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startService, type Service, type ServiceOptions } from './service.ts';
import { requestBytes } from './exchange.ts';

/** A client, and the service's end of its connection; over TLS, of the TCP connection below. */
export type Pair = { readonly client: Socket; readonly accepted: Socket };

export type ClockedService = Service & {
  /** Lets seconds pass, one by one. */
  readonly pass: (seconds: number) => void;
  readonly open: () => Promise<Pair>;
};

/** Starts the service. Its time stands still unless `pass` is called. */
export async function startWithClock(t: TestContext, options: ServiceOptions = {}): Promise<ClockedService> {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const service = await startService(t, options);
  return {
    ...service,
    open: () => openPair(t, service),
    pass: (seconds) => {
      for (let i = 0; i < seconds; i += 1) t.mock.timers.tick(1000);
    },
  };
}

/** Connects a client. Its side stays open when the service ends its own; it is closed when the test `t` ends. */
export async function openPair(t: TestContext, { server, port }: Service, makeClient = connectPlain): Promise<Pair> {
  const connection = once(server, 'connection');
  const client = makeClient(port).on('error', () => {}); // the service may reset the connection
  t.after(() => client.destroy());
  const [accepted] = await connection;
  return { client, accepted };
}

function connectPlain(port: number): Socket {
  return connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
}

/** Sends `bytes`; resolves when the service has read them. For a plain connection. */
export async function sendRead({ client, accepted }: Pair, bytes: string): Promise<void> {
  const { bytesRead } = accepted;
  client.write(bytes, 'latin1');
  while (accepted.bytesRead < bytesRead + bytes.length && !accepted.destroyed) await turn();
  await turn();
}

/** One request and its reply. The service knows that it has left when this resolves. */
export async function use({ client, accepted }: Pair): Promise<void> {
  client.write(requestBytes('GET', '/health', []));
  await readReplies(client, 1);
  while (accepted.writableLength > 0) await turn();
  await turn();
}

/** Sends requests one by one and reads nothing, until a reply waits in the service, and stays there. Returns how many it has sent. */
export async function stall({ client, accepted }: Pair): Promise<number> {
  client.pause();
  const request = requestBytes('GET', '/openapi/v1.json', []);
  let sent = 0;
  for (let stillTurns = 0; stillTurns < 20; stillTurns += 1) { // the kernel may take more a little later
    await turn();
    for (; accepted.writableLength === 0; sent += 1) {
      await sendRead({ client, accepted }, request);
      stillTurns = 0;
    }
  }
  return sent;
}

const STATUS_LINE = 'HTTP/1.1 200 OK\r\n';

/** Reads until so many replies with 200 have begun to arrive, and stops reading then. */
export async function readReplies(client: Socket, count: number): Promise<void> {
  let end = '';
  for (let replies = 0; replies < count;) {
    const [chunk] = await once(client.resume(), 'data');
    const text = end + chunk.toString('latin1');
    replies += text.split(STATUS_LINE).length - 1;
    end = text.slice(1 - STATUS_LINE.length);
  }
  client.pause();
}

/** Resolves with all bytes that come until the service ends its side, or closes the connection. */
export async function readToEnd(client: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  if (!client.readableEnded && !client.closed) await Promise.race([once(client, 'end'), new Promise((resolve) => client.once('close', resolve))]);
  return Buffer.concat(chunks);
}
