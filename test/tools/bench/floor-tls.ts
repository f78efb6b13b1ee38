// The floor over TLS: the smallest server on node:https.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const [cert, key] = [process.env['TLS_CERT_FILE'], process.env['TLS_KEY_FILE']].map((file) => readFileSync(file ?? ''));
const body = JSON.stringify({ message: 'Hello, World!', generatedAt: '2026-11-20T10:15:30.123+00:00' });
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };

const server = createServer({ cert, key }, (_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});

server.listen(Number(process.env['HTTPS_PORT']), process.env['HOST'], () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`https://127.0.0.1:${address.port}`);
});
