// The process of the attackers. Its arguments are PORT, the name of an attack, and the number of clients. It prints `ready` when all
// are connected, attacks from a line on stdin on, and ends with stdin. A client that the server disconnects connects again.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ATTACKS } from './attacks.ts';

const RECONNECT_DELAY_MS = 10;

const [port = '', name = '', clients] = process.argv.slice(2);
const attack = ATTACKS.get(name);
if (attack === undefined) throw new Error('Usage: attackers.js PORT ATTACK CLIENTS');
const { first, more, reads } = attack;
const begin = Buffer.concat([first, more]);
process.stdin.once('end', () => process.exit());

const connections: [Socket, boolean][] = [];
for (let i = 0; i < Number(clients); i += 1) {
  const goesOn = i % 2 === 1 && more.length > 0;
  const socket = open(goesOn);
  await once(socket, 'connect');
  connections.push([socket, goesOn]);
}
console.log('ready');
await once(process.stdin, 'data');
for (const [socket, goesOn] of connections) start(socket, goesOn);

// A client that goes on sends until the server has closed both sides of the connection. The others end theirs when the server does.
function open(goesOn: boolean): Socket {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true, allowHalfOpen: goesOn });
  if (reads) socket.resume();
  else socket.pause(); // before it is connected, or else the first bytes are read
  socket.on('error', () => {}); // `close` follows
  return socket;
}

function start(socket: Socket, goesOn: boolean): void {
  const send = (bytes: Buffer): void => {
    socket.write(bytes, (error) => {
      if (!error && socket.writable && more.length > 0) setImmediate(send, more);
    });
  };
  send(begin);
  const restart = () => setTimeout(() => start(open(goesOn), goesOn), RECONNECT_DELAY_MS);
  if (socket.destroyed) restart();
  else socket.once('close', restart);
}
