// The baseline: the smallest server on node:http, with which services are often compared. It sends one constant reply, and
// has no routes, query or clock.
import { createServer } from 'node:http';

const body = JSON.stringify({ message: 'Hello, World!', generatedAt: '2026-11-20T10:15:30.123+00:00' });
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(Number(process.env['PORT']), process.env['HOST'], () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`);
});
