// The process of clients that attack: `attackers PORT CLIENTS WORK ADDRESSES IS_TLS`. It prints a line when all do.
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { clientHello } from '../../support/certificates.ts';
import { keyUpdates } from '../../support/key-updates.ts';
import { WORKS, type Work } from './attacks.ts';
import { openSocket } from './clients.ts';

const [port, clients, name = '', addresses, isTls] = process.argv.slice(2);
const work = new Map<string, Work>(Object.entries(WORKS)).get(name) ?? {};
const { first = '', more = '', isByteByByte = false, isDeaf = false, resetAfterMs } = work;
const { splitsHello = false, updatesKeys = false } = work;
const repeated = Buffer.from(isByteByByte ? more : more.repeat(Math.ceil(65_536 / Math.max(1, more.length))));
const length = isByteByByte ? 1 : repeated.length; // of a write
const say = () => console.log('attacking');
let begun = 0;
const hello = await clientHello();
const prepared = new Map<Socket, Buffer>(); // what they send when all have begun

// Key updates are prepared by one after the other: it takes 50 ms, and a handshake may take no more than 10 s.
for (let client = 0; client < (updatesKeys ? 1 : Number(clients)); client += 1) open(client);
setTimeout(say, updatesKeys ? 120_000 : 5_000); // the server may have ended
setInterval(() => {
  if (begun < Number(clients)) return;
  for (const [socket, bytes] of prepared) socket.write(bytes);
  prepared.clear();
}, 500);

async function prepare(socket: Socket): Promise<void> {
  const tls = connectTls({ socket, rejectUnauthorized: false }).on('error', () => {});
  try {
    prepared.set(socket, await keyUpdates(tls.resume(), 2_222));
  } catch {
    return; // it has been closed, and is replaced
  }
  begun += 1;
  if (begun === Number(clients)) say();
  else if (begun < Number(clients)) open(begun);
}

// Half of those that send without end do so until the server has closed both sides. Others end theirs when it does.
function open(client: number): void {
  const from = addresses === '1' ? '127.0.0.1' : `127.0.1.${1 + (client % Number(addresses))}`;
  const allowHalfOpen = client % 2 === 1 && more !== '';
  const isOverTls = isTls === 'true' && !splitsHello && !updatesKeys;
  const socket = openSocket({ port: Number(port), isTls: isOverTls, from, allowHalfOpen }, () => {
    if (updatesKeys) return void prepare(socket);
    begun += 1;
    if (begun === Number(clients)) say();
    if (splitsHello) {
      socket.write(hello.subarray(0, 1));
      prepared.set(socket.once('data', () => socket.destroy()), hello.subarray(1)); // the server has shaken hands
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
    prepared.delete(socket);
    setTimeout(open, 1, client);
  });
}
