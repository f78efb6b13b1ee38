// The limit of the sockets: a server on node:net that reads nothing, and writes one constant reply for each read.
import { createServer } from 'node:net';
import { listenOnPort } from '../../support/sockets.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n';
const reply = `${head}Content-Length: 7\r\nDate: Fri, 20 Nov 2026 10:15:30 GMT\r\nConnection: keep-alive\r\n\r\nHealthy`;

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => socket.write(reply));
});
console.log(`http://127.0.0.1:${await listenOnPort(server)}`);
