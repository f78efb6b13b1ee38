// The floor behind the stream of the service: what `writeHead` and `end` cost there, without routes, rules, query or clock.
import { createServer as createParser } from 'node:http';
import { createServer } from 'node:net';
import { Connection } from '../../src/server/connection.ts';
import { connectionOf } from '../../src/server/requests.ts';

const body = JSON.stringify({ message: 'Hello, World!', generatedAt: '2026-11-20T10:15:30.123+00:00' });
const fields = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(body)), 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
const record = { status: undefined, close: () => {} };

const parser = createParser({ keepAliveTimeout: 0, requireHostHeader: false, optimizeEmptyRequests: true }, (message, response) => {
  const connection = connectionOf(message.socket);
  connection.oweReply(message, 0, record);
  response.writeHead(200, fields);
  response.end(body);
});

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  parser.emit('connection', new Connection(socket, () => socket.destroy()));
});
server.listen(Number(process.env['PORT']), process.env['HOST'], () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`);
});
