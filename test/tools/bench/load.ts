// The load on a server: the same request many times, on connections that stay open from one run to the next.
import type { Socket } from 'node:net';
import { repliesIn } from '../../support/replies.ts';
import { openSocket, type Connecting } from './requests.ts';
import { percentile } from './tables.ts';

export type Run = {
  readonly status: string;
  readonly requestsPerSecond: number;
  /** Milliseconds from sending a request to the last byte of its reply. */
  readonly p50: number;
  readonly p99: number;
};

export type Load = ReturnType<typeof createLoad>;

type Connection = { readonly socket: Socket; isWaiting: boolean; sentAt: number; received: number };

// Each has at most one request in progress, because few clients use pipelining. With 50 the CPU of the server is busy for 95 % of a run
// or more (CPU µs × requests/s).
const CONNECTIONS = 50;
const incoming = Buffer.alloc(64 * 1024); // one for all connections, because each piece is used before the next one is read

/** Connections to one server. Each run opens those that are missing. */
export function createLoad(to: Connecting) {
  const connections = new Set<Connection>();
  let receive = (_connection: Connection, _bytes: Buffer): void => {};

  function openOne(ready: () => void): void {
    const callback = (length: number) => {
      receive(connection, incoming.subarray(0, length));
      return true;
    };
    const socket = openSocket({ ...to, onread: { buffer: incoming, callback } }, ready);
    const connection: Connection = { socket, isWaiting: false, sentAt: 0, received: 0 };
    connections.add(connection);
    socket.once('close', () => {
      if (connection.isWaiting) throw new Error('The server has closed a connection instead of replying.');
      connections.delete(connection); // the server has closed it as idle; the next run opens another one
    });
  }

  /** Sends a request `count` times, and resolves when each has its reply. */
  async function run(request: Buffer, count: number): Promise<Run> {
    while (connections.size < CONNECTIONS) await new Promise<void>(openOne);
    const latencies: number[] = [];
    const begin = performance.now();
    let sent = 0;
    let status = '';
    let replyLength = 0; // all replies of a run have the same

    function send(connection: Connection, now: number): void {
      if (sent === count) return;
      sent += 1;
      Object.assign(connection, { isWaiting: true, sentAt: now, received: 0 });
      connection.socket.write(request);
    }

    await new Promise<void>((resolve) => {
      receive = (connection, bytes) => {
        if (replyLength === 0) {
          const { replies: [reply], rest } = repliesIn(bytes);
          [status, replyLength] = [String(reply?.status), bytes.length - rest.length];
        }
        connection.received += bytes.length;
        if (connection.received < replyLength) return;
        const now = performance.now();
        connection.isWaiting = false;
        latencies.push(now - connection.sentAt);
        send(connection, now);
        if (latencies.length === sent) resolve();
      };
      for (const connection of connections) send(connection, performance.now());
    });
    const sorted = latencies.toSorted((a, b) => a - b);
    const requestsPerSecond = sent / ((performance.now() - begin) / 1000);
    return { status, requestsPerSecond, p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
  }

  return { run, close: () => { for (const { socket } of connections) socket.destroy(); } };
}
