// One run of the load generator: it sends the same request many times, and measures how long the replies take.
import { listenForChunks, openConnectionsTo, type ClientConnection } from './client-connections.ts';
import { requestBytes, type RequestKind } from './request-kinds.ts';
import { percentile } from './statistics.ts';

export type Run = {
  readonly port: number;
  readonly requestKind: RequestKind;
  readonly path: string;
  /** How many connections are used in turn. */
  readonly connections: number;
  /** The run ends after this many requests, or after `timeMs`, whichever comes first. */
  readonly requests: number;
  /** In milliseconds. */
  readonly timeMs: number;
};

export type RunResult = {
  readonly status: string;
  readonly requestsPerSecond: number;
  /** Milliseconds from sending a request to the last byte of its reply. */
  readonly p50: number;
  readonly p99: number;
};

// How many requests are in progress at a time, at most one on each connection, because few clients use pipelining. With
// 50 the CPU of the server is busy for 95 % of a run or more (CPU µs × requests/s).
const IN_PROGRESS = 50;

/** Sends the requests of a run, and resolves when every request has its reply. */
export function runLoad({ port, requestKind, path, connections, requests, timeMs }: Run): Promise<RunResult> {
  const request = requestBytes(requestKind, port, path);
  const idle = openConnectionsTo(port).slice(0, connections);
  const latencies: number[] = [];
  const begin = performance.now();
  let sent = 0;
  let status = '';
  let replyLength = 0;

  function send(connection: ClientConnection, now: number): void {
    if (sent === requests || now - begin > timeMs) return;
    sent += 1;
    connection.isWaiting = true;
    connection.sentAt = now;
    connection.received = 0;
    connection.socket.write(request);
  }

  return new Promise((resolve) => {
    listenForChunks((connection, chunk) => {
      // All replies of a run have the same length: reading the first head is enough.
      if (replyLength === 0) [status, replyLength] = readHead(Buffer.from(chunk).toString('latin1'));
      connection.received += chunk.length;
      if (connection.received < replyLength) return;
      const now = performance.now();
      connection.isWaiting = false;
      latencies.push(now - connection.sentAt);
      idle.push(connection);
      const next = idle.shift();
      if (next !== undefined) send(next, now);
      if (latencies.length < sent) return;
      const sorted = latencies.toSorted((a, b) => a - b);
      const requestsPerSecond = sent / ((now - begin) / 1000);
      resolve({ status, requestsPerSecond, p50: percentile(sorted, 50), p99: percentile(sorted, 99) });
    });
    for (const connection of idle.splice(0, IN_PROGRESS)) send(connection, performance.now());
  });
}

function readHead(reply: string): [status: string, replyLength: number] {
  const contentLength = /content-length: (\d+)/i.exec(reply)?.[1];
  return [reply.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length), reply.indexOf('\r\n\r\n') + 4 + Number(contentLength)];
}
