// The baseline: the smallest server on node:http, with which services are often compared. It sends one constant reply, and
// has no routes, query or clock. With a certificate there is also one on node:https.
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';

const body = JSON.stringify({ message: 'Hello, World!', generatedAt: '2026-11-20T10:15:30.123+00:00' });
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };

const reply: RequestListener = (_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
};

function listen(server: Server, scheme: string, port: string | undefined): void {
  server.listen(Number(port), process.env['HOST'], () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') console.log(`${scheme}://127.0.0.1:${address.port}`);
  });
}

listen(createServer(reply), 'http', process.env['PORT']);
const { HTTPS_PORT, TLS_CERT_FILE, TLS_KEY_FILE } = process.env;
if (HTTPS_PORT !== undefined) {
  const { createServer: createSecureServer } = await import('node:https'); // it would make the start of the other one longer
  const [cert, key] = [TLS_CERT_FILE, TLS_KEY_FILE].map((file) => readFileSync(file ?? ''));
  listen(createSecureServer({ cert, key }, reply), 'https', HTTPS_PORT);
}
