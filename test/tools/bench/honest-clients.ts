// The process of the honest clients. Its arguments are PORT, SECONDS. It warms the server up, and prints `ready`. From a line on stdin on
// it opens a new connection every 50 ms, for so many seconds, and sends one request on each. Then it prints, separated by tabs: the
// number of requests, how many failed, and the median, the 95th percentile and the worst of the waits in milliseconds.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from './request-kinds.ts';
import { percentile } from './statistics.ts';

const INTERVAL_MS = 50;
const WARM_UP_REQUESTS = 100;
const LAST_REPLIES_MS = 1_000;

const [port, seconds] = process.argv.slice(2).map(Number);
if (port === undefined || seconds === undefined) throw new Error('Usage: honest-clients.js PORT SECONDS');
const request = requestBytes('browser', port, '/health');
const open = new Set<Socket>();
const waits: number[] = [];
let failed = 0;

for (let i = 0; i < WARM_UP_REQUESTS; i += 1) await send(port);
console.log('ready');
await once(process.stdin, 'data');
waits.length = failed = 0;
const timer = setInterval(send, INTERVAL_MS, port);
await sleep(seconds * 1000);
clearInterval(timer);
if (open.size > 0) await sleep(LAST_REPLIES_MS);
const ended = Array.from(open, (socket) => once(socket, 'close')); // those without a reply so far
for (const socket of open) socket.destroy();
await Promise.all(ended);
const sorted = waits.toSorted((a, b) => a - b);
const times = [percentile(sorted, 50), percentile(sorted, 95), sorted.at(-1) ?? Number.NaN];
console.log([waits.length, failed, ...times.map((ms) => ms.toFixed(1))].join('\t'));
process.exit();

// Resolves when the connection is closed. The wait is the time to the reply or, without one, to the end of the connection.
function send(port: number): Promise<void> {
  return new Promise((resolve) => {
    const begin = performance.now();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let isReplied = false;
    let wait: number | undefined;
    open.add(socket);
    socket.write(request);
    socket.once('data', (reply) => { // all of the reply, because it is short
      wait = performance.now() - begin;
      isReplied = reply.includes('HTTP/1.1 200');
      socket.destroy();
    });
    socket.on('error', () => {}); // `close` follows
    socket.once('close', () => {
      open.delete(socket);
      waits.push(wait ?? performance.now() - begin);
      if (!isReplied) failed += 1;
      resolve();
    });
  });
}
