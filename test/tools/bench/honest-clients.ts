// The process of the honest clients. Its arguments are PORT, TLS_PORT, SECONDS and the name of a set of kinds. It warms the server up, and
// prints `ready`. From a line on stdin on, for so many seconds, the kinds send requests in turn. Then it prints a line for each kind: the
// number of requests, how many failed, and the median, the 95th percentile and the worst of the waits in milliseconds, separated by tabs.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HONEST_SETS, REQUESTS, type HonestKind } from './honest-kinds.ts';
import { loopbackAddress, openSocket } from './sockets.ts';
import { percentile } from './statistics.ts';

/** A kind of client, its connections that are kept and not in use, and how its requests went. */
type Client = { readonly kind: HonestKind; readonly idle: Socket[]; waits: number[]; failed: number };

const FIRST_OTHER = 100_000; // the number of the first of the other addresses, which no attacker has
const WARM_UP_REQUESTS = 100;
const LAST_REPLIES_MS = 1_000;
const REPLIED = /^HTTP\/1\.1 (?:200|307)/; // where the server has HTTPS, it redirects all requests for HTTP

const [port = '', tlsPort = '', seconds = '', name = ''] = process.argv.slice(2);
const set = HONEST_SETS.get(name);
if (set === undefined) throw new Error('Usage: honest-clients.js PORT TLS_PORT SECONDS SET');
const clients = set.kinds.map((kind): Client => ({ kind, idle: [], waits: [], failed: 0 }));
const inUse = new Set<Socket>();
let sent = 0;
let opened = 0;

for (let i = 0; i < WARM_UP_REQUESTS; i += 1) await sendNext();
console.log('ready');
await once(process.stdin, 'data');
for (const client of clients) { client.waits = []; client.failed = 0; }
const timer = setInterval(sendNext, set.intervalMs);
await sleep(Number(seconds) * 1000);
clearInterval(timer);
if (inUse.size > 0) await sleep(LAST_REPLIES_MS);
const ended = Array.from(inUse, (socket) => once(socket, 'close')); // those without a reply so far
for (const socket of inUse) socket.destroy();
await Promise.all(ended);
for (const { waits, failed } of clients) {
  const sorted = waits.toSorted((a, b) => a - b);
  const times = [percentile(sorted, 50), percentile(sorted, 95), sorted.at(-1) ?? Number.NaN];
  console.log([waits.length, failed, ...times.map((ms) => ms.toFixed(1))].join('\t'));
}
process.exit();

async function sendNext(): Promise<void> {
  const client = clients[sent % clients.length];
  sent += 1;
  if (client !== undefined) await send(client);
}

// The wait is the time to the reply or, without one, to the end of the connection. A kept connection has one request at a time.
function send(client: Client): Promise<void> {
  const { kind, idle } = client;
  return new Promise((resolve) => {
    const begin = performance.now();
    const socket = idle.pop() ?? open(client);
    inUse.add(socket);

    function finish(isReplied: boolean): void {
      socket.off('data', receive).off('close', close);
      inUse.delete(socket);
      client.waits.push(performance.now() - begin);
      if (!isReplied) client.failed += 1;
      resolve();
    }
    function receive(reply: Buffer): void { // all of the reply, because it is short
      finish(REPLIED.test(reply.toString('latin1')));
      if (kind.isKept) idle.push(socket);
      else socket.destroy();
    }
    function close(): void { finish(false); }

    socket.on('data', receive).on('close', close);
    socket.write(REQUESTS.get(kind.request) ?? '');
  });
}

function open({ kind: { address, isTls }, idle }: Client): Socket {
  const from = address === 'same' ? undefined : loopbackAddress(FIRST_OTHER + opened);
  opened += 1;
  const socket = openSocket({ port: Number(isTls ? tlsPort : port), isTls, from });
  socket.on('error', () => {}); // `close` follows
  socket.once('close', () => { if (idle.includes(socket)) idle.splice(idle.indexOf(socket), 1); });
  return socket;
}
