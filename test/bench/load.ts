// The load generator, a process of its own so that its work is never counted as the server's. It obeys
// lines on stdin, and answers each with one on stdout:
//   open PORT CONNECTIONS      ready
//   run PORT PATH REQUESTS N   STATUS SECONDS P50 P99 (the last two in milliseconds), over N of them in turn
//   close PORT                 ready
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

type Connection = { readonly socket: Socket; isWaiting: boolean; sentAt: number; received: number };

// One request on a connection at a time, on up to 50 connections: that keeps the server's CPU busy for 95 %
// of a run and more (CPU µs × requests/s), so there is no need to pipeline, which hardly any client does.
const IN_FLIGHT = 50;

const pools = new Map<number, Set<Connection>>();
const incoming = new Uint8Array(64 * 1024); // one for all: a chunk is looked at before the next is read
let onChunk: ((connection: Connection, bytes: number) => void) | undefined;

function dial(port: number, pool: Set<Connection>): Promise<void> {
  return new Promise((resolve) => {
    const onread = {
      buffer: incoming,
      callback(bytes: number): boolean {
        onChunk?.(connection, bytes);
        return true;
      },
    };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, resolve);
    const connection: Connection = { socket, isWaiting: false, sentAt: 0, received: 0 };
    pool.add(connection);
    socket.once('close', () => {
      if (connection.isWaiting) throw new Error('The server hung up instead of replying.');
      pool.delete(connection); // closed as idle: the next `open` dials another
    });
  });
}

async function open(port: number, connections: number): Promise<string> {
  const pool = pools.get(port) ?? new Set();
  pools.set(port, pool);
  while (pool.size < connections) await dial(port, pool);
  return 'ready';
}

function close(port: number): string {
  for (const { socket } of pools.get(port) ?? []) socket.destroy();
  pools.delete(port);
  return 'ready';
}

function run(port: number, path: string, requests: number, connections: number): Promise<string> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  const queue = [...(pools.get(port) ?? [])].slice(0, connections);
  const latencies: number[] = [];
  let sent = 0;
  let status = '';
  let replyLength = 0;

  function send(connection: Connection | undefined): void {
    if (connection === undefined || sent === requests) return;
    sent += 1;
    connection.isWaiting = true;
    connection.sentAt = performance.now();
    connection.received = 0;
    connection.socket.write(request);
  }

  return new Promise((resolve) => {
    onChunk = (connection, bytes) => {
      // All replies of a run have the same length: reading the first will do.
      if (replyLength === 0) [status, replyLength] = readHead(Buffer.from(incoming.subarray(0, bytes)).toString('latin1'));
      connection.received += bytes;
      if (connection.received < replyLength) return;
      connection.isWaiting = false;
      latencies.push(performance.now() - connection.sentAt);
      if (latencies.length === requests) {
        onChunk = undefined;
        resolve(`${status} ${(performance.now() - begin) / 1000} ${percentile(latencies, 50)} ${percentile(latencies, 99)}`);
        return;
      }
      queue.push(connection);
      send(queue.shift());
    };
    const begin = performance.now();
    for (const connection of queue.splice(0, IN_FLIGHT)) send(connection);
  });
}

function readHead(reply: string): [status: string, replyLength: number] {
  const contentLength = /content-length: (\d+)/i.exec(reply)?.[1];
  return [reply.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length), reply.indexOf('\r\n\r\n') + 4 + Number(contentLength)];
}

function percentile(values: number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length * percent) / 100)] ?? Number.NaN;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, port, second = '', third, fourth] = line.split(' ');
  if (word === 'open') console.log(await open(Number(port), Number(second)));
  if (word === 'run') console.log(await run(Number(port), second, Number(third), Number(fourth)));
  if (word === 'close') console.log(close(Number(port)));
}
