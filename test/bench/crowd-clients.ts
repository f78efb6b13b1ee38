// The process of a crowd. Its arguments are PORT, the number of clients, and the number of requests of each. It prints
// `ready` when all are connected. After a line on stdin each sends all its requests at once. None ever reads.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { requestBytes } from './request-kinds.ts';

const [port, clients, requests] = process.argv.slice(2).map(Number);
if (port === undefined || clients === undefined || requests === undefined) throw new Error('Usage: crowd-clients.js PORT CLIENTS REQUESTS');

const bytes = Buffer.concat(new Array<Buffer>(requests).fill(requestBytes('Host only', port, '/api/greetings')));
const sockets: Socket[] = [];
for (let i = 0; i < clients; i += 1) {
  const socket = connect(port, '127.0.0.1');
  socket.pause(); // before it is connected, or else the first bytes are read
  await once(socket, 'connect');
  socket.on('error', () => {}); // the server may close the connection, or end
  sockets.push(socket);
}
console.log('ready');
await once(process.stdin, 'data');
for (const socket of sockets) socket.write(bytes);
