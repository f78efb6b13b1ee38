// The process of the attackers. Its arguments are PORT, the name of an attack, the number of clients, and the number of addresses that
// they come from. It prints `ready` when all are connected, and attacks from a line on stdin on. With the next line it prints how many
// replies, or handshakes, there have been. It ends with stdin. A client that the server disconnects connects again.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { ATTACKS, WORK } from './attacks.ts';
import { loopbackAddress, openSocket, readyEvent } from './sockets.ts';

const RECONNECT_DELAY_MS = 10;

const [port = '', name = '', clients = '', addresses = ''] = process.argv.slice(2);
const attack = ATTACKS.get(name) ?? WORK.get(name);
if (attack === undefined) throw new Error('Usage: attackers.js PORT ATTACK CLIENTS ADDRESSES');
const { first, more, then, reads, isTls } = attack;
const begin = Buffer.concat([first, more]);
let count = 0;

// The honest clients are on the same CPU. They do little, and what is measured is not how long they wait for the attackers' work.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const connections: [Socket, number][] = [];
for (let client = 0; client < Number(clients); client += 1) {
  const socket = open(client);
  await once(socket, readyEvent(isTls));
  connections.push([socket, client]);
}
console.log('ready');
const lines = createInterface({ input: process.stdin });
lines.once('close', () => process.exit());
await once(lines, 'line');
count = 0;
for (const [socket, client] of connections) start(socket, client);
await once(lines, 'line');
console.log(count);

// A client that goes on sends until the server has closed both sides of the connection. The others end theirs when the server does.
function open(client: number): Socket {
  const from = addresses === '1' ? undefined : loopbackAddress(client % Number(addresses));
  const socket = openSocket({ port: Number(port), isTls, from, allowHalfOpen: then === 'more' && client % 2 === 1 });
  if (reads) socket.on('data', () => { count += 1; });
  else socket.pause(); // before it is connected, or else the first bytes are read
  if (then === 'more for a reply') socket.on('data', () => socket.write(more));
  if (then === 'disconnect') socket.once(readyEvent(isTls), () => { count += 1; socket.destroy(); });
  socket.on('error', () => {}); // `close` follows
  return socket;
}

function start(socket: Socket, client: number): void {
  const send = (bytes: Buffer): void => {
    socket.write(bytes, (error) => {
      if (!error && socket.writable && then === 'more') setImmediate(send, more);
    });
  };
  if (begin.length > 0) send(begin);
  const restart = () => setTimeout(() => start(open(client), client), RECONNECT_DELAY_MS);
  if (socket.destroyed) restart();
  else socket.once('close', restart);
}
