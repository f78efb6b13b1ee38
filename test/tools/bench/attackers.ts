// The process of clients that attack: `attackers PORT CLIENTS WORK ADDRESSES IS_TLS`. It prints a line when all do,
// or after 5 s: the server may have ended.
import type { Socket } from 'node:net';
import { clientHello } from '../../support/certificates.ts';
import { WORKS, type Work } from './attacks.ts';
import { openSocket } from './clients.ts';

const [port, clients, name = '', addresses, isTls] = process.argv.slice(2);
const work = new Map<string, Work>(Object.entries(WORKS)).get(name) ?? {};
const { first = '', more = '', isByteByByte = false, isDeaf = false, resetAfterMs, splitsHello = false } = work;
const repeated = Buffer.from(isByteByByte ? more : more.repeat(Math.ceil(65_536 / Math.max(1, more.length))));
const length = isByteByByte ? 1 : repeated.length; // of a write
const say = () => console.log('attacking');
let begun = 0;
const hello = splitsHello ? await clientHello() : undefined;
const waiting = new Set<Socket>(); // those that have sent its first byte

for (let client = 0; client < Number(clients); client += 1) open(client);
setTimeout(say, 5_000);
setInterval(() => {
  for (const socket of waiting) socket.write(hello?.subarray(1) ?? '');
  waiting.clear();
}, 500);

// Half of those that send without end do so until the server has closed both sides. Others end theirs when it does.
function open(client: number): void {
  const from = addresses === '1' ? '127.0.0.1' : `127.0.1.${1 + (client % Number(addresses))}`;
  const allowHalfOpen = client % 2 === 1 && more !== '';
  const isOverTls = isTls === 'true' && hello === undefined;
  const socket = openSocket({ port: Number(port), isTls: isOverTls, from, allowHalfOpen }, () => {
    begun += 1;
    if (begun === Number(clients)) say();
    if (hello !== undefined) {
      socket.write(hello.subarray(0, 1));
      waiting.add(socket.once('data', () => socket.destroy())); // the server has shaken hands
      return;
    }
    if (first !== '') socket.write(first.replaceAll('#', String(client)));
    if (resetAfterMs === 0) socket.resetAndDestroy();
    else if (resetAfterMs !== undefined) setTimeout(() => socket.resetAndDestroy(), resetAfterMs);
    if (more !== '') sendMore(0);
    else if (first === '') socket.destroy();
  });
  function sendMore(at: number): void {
    if (!socket.writable) return;
    const next = (at + length) % repeated.length;
    socket.write(repeated.subarray(at, at + length), () => setImmediate(sendMore, next));
  }
  if (isDeaf) socket.pause(); // before it is connected, or else the first bytes are read
  else socket.resume();
  socket.on('close', () => {
    waiting.delete(socket);
    setTimeout(open, 1, client);
  });
}
