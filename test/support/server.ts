// A server on TCP or TLS, with its clock and its reports in the hands of a test, and clients whose connections are seen from both sides.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { readConfiguration } from '../../src/host/configuration.ts';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { contentReply } from '../../src/http/messages.ts';
import type { Reason } from '../../src/http/refusals.ts';
import type { FinishedRequest, ServerOptions } from '../../src/server/interface.ts';
import { createServerOn } from '../../src/server/server.ts';
import { openTcp } from '../../src/transport/transport.ts';
import { createTls } from '../../src/transport/tls.ts';
import { createTurns } from '../../src/transport/turns.ts';
import { ServiceEnd } from '../tools/simulation/service-end.ts';
import { makeCertificate, temporaryFolder } from './certificates.ts';
import { parseReplies, requestBytes } from './exchange.ts';
import { closeAfter } from './service.ts';
import { listenOnPort, until } from './sockets.ts';

/** `below` and `accepted` are the two ends of a connection; over TLS, `client` and `socket` are those of TLS on it. */
export type Pair = { readonly [end in 'client' | 'below' | 'accepted' | 'socket']: Socket };

type Options = Partial<Omit<ServerOptions, 'reports'>> & {
  readonly over?: 'TCP' | 'TLS';
  readonly reports?: Partial<ServerOptions['reports']>;
};

const hello = contentReply(200, 'text/plain', 'Hello');
const long = contentReply(200, 'text/plain', 'x'.repeat(10_000_000)); // more than the kernel takes before the client reads

export type TestServer = Awaited<ReturnType<typeof startServer>>;

/** Starts a server; it stops when the test `t` ends. Its time stands still unless `pass` is called. */
export async function startServer(t: TestContext, { over = 'TCP', reports, ...options }: Options = {}) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const asked: string[] = [], refusals: Reason[] = [], ended: string[] = [], dropped: string[] = [];
  const failures: unknown[] = [], records: FinishedRequest[] = [];
  const secured = new WeakMap<Socket, Socket>(); // by the accepted socket
  const turns = options.turns ?? createTurns();

  const openTransport = over === 'TLS' ? createTls(await tlsOptions(t)).open : openTcp;
  const server = createServerOn((accepted, ...others) => {
    const transport = openTransport(accepted, ...others);
    secured.set(accepted, transport.socket);
    return transport;
  }, {
    ...readConfiguration({}),
    handler: ({ path }) => { asked.push(path); return path === '/long' ? long : hello; },
    refuseHost: () => undefined,
    isDraining: () => false,
    ...options,
    turns,
    reports: {
      failed: (error) => failures.push(error),
      refused: (reason) => refusals.push(reason),
      ended: (reason) => ended.push(reason),
      dropped: (reason) => dropped.push(reason),
      finished: (record) => records.push(record),
      ...reports,
    },
  });
  const port = await listenOnPort(server.listener);
  closeAfter(t, server);

  /** Connects a client, over TLS without a handshake; one after the other. Its side stays open when the server ends its own. */
  async function dial(): Promise<Pair> {
    const connection = once(server.listener, 'connection');
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true }).on('error', () => {}); // it may be reset
    t.after(() => client.destroy());
    const [accepted] = await connection;
    return { client, below: client, accepted, socket: secured.get(accepted) ?? accepted };
  }

  /** Connects a client. Over TLS the handshake is over on both sides when this resolves. */
  async function open(): Promise<Pair> {
    const pair = await dial();
    if (over !== 'TLS') return pair;
    const [secured] = await Promise.all([shakeHands(pair), once(pair.socket, 'secure')]);
    return secured;
  }

  return {
    ...server, port, asked, failures, refusals, ended, dropped, records, turns, dial, open,
    /** Connects a client with this address, in memory. It reads nothing; 1,000 bytes wait for it in its kernel. */
    openInMemory: (clientAddress = '192.0.2.1'): ServiceEnd => {
      const accepted = new ServiceEnd(clientAddress, 1_000);
      accepted.setRead(false);
      server.listener.emit('connection', accepted);
      return accepted;
    },
    pass: (seconds: number) => t.mock.timers.tick(seconds * 1000),
  };
}

/** The options for TLS, with a new certificate. */
export const tlsOptions = (t: TestContext) =>
  readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), (message) => { throw new Error(message); });

/** Does the handshake. When this resolves it is complete for the client, but maybe not yet for the server. */
export async function shakeHands(pair: Pair, more: ConnectionOptions = {}): Promise<Pair & { readonly client: TLSSocket }> {
  const client = connectTls({ socket: pair.below, rejectUnauthorized: false, ...more }).on('error', () => {});
  await once(client, 'secureConnect');
  return { ...pair, client };
}

/** Sends `bytes`; resolves when the server has read them. */
export async function send({ client, socket }: Pair, bytes: string): Promise<void> {
  const { bytesRead } = socket;
  client.write(bytes, 'latin1');
  await until(() => socket.bytesRead >= bytesRead + bytes.length || socket.destroyed);
  await iteration();
}

/** One request and its reply. The server knows that it is flushed when this resolves. */
export async function use({ client, socket }: Pair): Promise<void> {
  client.write(requestBytes('GET', '/', []));
  await readReply(client);
  await until(() => socket.writableLength === 0);
  await iteration();
}

/** Sends a request and reads nothing. Resolves when the server waits for the client to read. */
export async function stall({ client, socket }: Pair): Promise<void> {
  client.pause().write(requestBytes('GET', '/long', []));
  await until(() => socket.writableLength > 0);
}

const STATUS_LINE = 'HTTP/1.1 200 OK\r\n';

/** Reads until another reply with 200 has begun to arrive, then stops reading. */
export async function readReply(client: Socket): Promise<void> {
  for (let text = ''; !text.includes(STATUS_LINE);) {
    const [chunk] = await once(client.resume(), 'data');
    text = text.slice(-STATUS_LINE.length) + chunk.toString('latin1');
  }
  client.pause();
}

/** Resolves with all bytes that come until the server ends its side, or closes the connection. */
export async function readToEnd(client: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  if (!client.readableEnded && !client.closed) await new Promise((resolve) => client.once('end', resolve).once('close', resolve));
  return Buffer.concat(chunks);
}

export const statusesIn = (bytes: Buffer): number[] => parseReplies(bytes).map(({ status }) => status);

/** What a record says of its request and its reply. */
export const brief = ({ path, status, aborted }: FinishedRequest) => [path, status, aborted] as const;
