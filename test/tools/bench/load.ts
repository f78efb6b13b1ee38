// The load on a server: the same request many times, on connections that stay open from one run to the next.
import type { Socket } from 'node:net';
import { repliesIn } from '../../support/replies.ts';
import { openSocket, type Connecting } from './sockets.ts';
import { percentile } from './statistics.ts';

export type Run = {
  readonly status: string;
  readonly requestsPerSecond: number;
  /** Milliseconds from sending a request to the last byte of its reply. */
  readonly p50: number;
  readonly p99: number;
};

type Connection = { readonly socket: Socket; isWaiting: boolean; sentAt: number; received: number };

// How many requests are in progress at a time, at most one on each connection, because few clients use pipelining. With
// 50 the CPU of the server is busy for 95 % of a run or more (CPU µs × requests/s).
const IN_PROGRESS = 50;
const incoming = Buffer.alloc(64 * 1024); // one for all connections, because each piece is used before the next one is read

export class Load {
  readonly #to: Connecting;
  readonly #connections = new Set<Connection>();
  #receive = (_connection: Connection, _bytes: Buffer): void => {};

  constructor(to: Connecting) {
    this.#to = to;
  }

  /** Opens connections until there are `count`. */
  async open(count: number): Promise<void> {
    while (this.#connections.size < count) await new Promise<void>((resolve) => this.#openOne(resolve));
  }

  #openOne(ready: () => void): void {
    const callback = (length: number) => {
      this.#receive(connection, incoming.subarray(0, length));
      return true;
    };
    const socket = openSocket({ ...this.#to, onread: { buffer: incoming, callback } }, ready);
    const connection: Connection = { socket, isWaiting: false, sentAt: 0, received: 0 };
    this.#connections.add(connection);
    socket.once('close', () => {
      if (connection.isWaiting) throw new Error('The server has closed a connection instead of replying.');
      this.#connections.delete(connection); // the server has closed it as idle; `open` opens another one
    });
  }

  /** Sends a request `count` times on `active` connections in turn, and resolves when each has its reply. */
  run(request: Buffer, active: number, count: number): Promise<Run> {
    const idle = Array.from(this.#connections).slice(0, active);
    const latencies: number[] = [];
    const begin = performance.now();
    let sent = 0;
    let status = '';
    let replyLength = 0; // all replies of a run have the same

    function send(connection: Connection | undefined, now: number): void {
      if (connection === undefined || sent === count) return;
      sent += 1;
      Object.assign(connection, { isWaiting: true, sentAt: now, received: 0 });
      connection.socket.write(request);
    }

    return new Promise((resolve) => {
      this.#receive = (connection, bytes) => {
        if (replyLength === 0) {
          const { replies: [reply], rest } = repliesIn(bytes);
          [status, replyLength] = [String(reply?.status), bytes.length - rest.length];
        }
        connection.received += bytes.length;
        if (connection.received < replyLength) return;
        const now = performance.now();
        connection.isWaiting = false;
        latencies.push(now - connection.sentAt);
        idle.push(connection);
        send(idle.shift(), now);
        if (latencies.length < sent) return;
        const sorted = latencies.toSorted((a, b) => a - b);
        const requestsPerSecond = sent / ((now - begin) / 1000);
        resolve({ status, requestsPerSecond, p50: percentile(sorted, 50), p99: percentile(sorted, 99) });
      };
      for (const connection of idle.splice(0, IN_PROGRESS)) send(connection, performance.now());
    });
  }

  /** Closes all connections. */
  close(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }
}
