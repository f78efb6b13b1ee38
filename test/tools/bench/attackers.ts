// The process of the attackers. Its arguments are PORT, the name of an attack, the number of clients, and the number of addresses that
// they come from. It sends a message when all are connected. The first message that it gets starts the attack. At the second, it says how
// many replies, or handshakes, there have been. A client that the server disconnects connects again.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { WORK } from './attacks.ts';
import { loopbackAddress, openSocket } from './requests.ts';

const RECONNECT_DELAY_MS = 10;

const [port = '', name = '', clients = '', addresses = ''] = process.argv.slice(2);
const attack = WORK.get(name);
if (attack === undefined) throw new Error('Usage: attackers.js PORT ATTACK CLIENTS ADDRESSES');
const { first, more, then, reads, isTls } = attack;
const begin = Buffer.concat([first, more]);
let count = 0;

// The honest clients are on the same CPU. They do little, and what is measured is not how long they wait for the attackers' work.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
process.once('disconnect', () => process.exit());

const connections: [Socket, number][] = [];
for (let client = 0; client < Number(clients); client += 1) {
  await new Promise<void>((resolve, reject) => connections.push([open(client, resolve).once('close', reject), client]));
}
process.send?.('ready');
await once(process, 'message');
count = 0;
process.once('message', () => process.send?.(count));
for (const [socket, client] of connections) start(socket, client);

// A client that keeps sending does so until the server has closed both sides of the connection. The others end theirs when the server does.
function open(client: number, connected = () => {}): Socket {
  const from = addresses === '1' ? undefined : loopbackAddress(client % Number(addresses));
  const socket = openSocket({ port: Number(port), isTls, from, allowHalfOpen: then === 'more' && client % 2 === 1 }, () => {
    connected();
    if (then !== 'disconnect') return;
    count += 1;
    socket.destroy();
  });
  if (reads) socket.on('data', () => { count += 1; });
  else socket.pause(); // before it is connected, or else the first bytes are read
  if (then === 'more for a reply') socket.on('data', () => socket.write(more));
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
