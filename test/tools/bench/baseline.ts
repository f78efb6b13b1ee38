// The baseline: the smallest server on node:http or, with TLS files, node:https. It has one reply and no routes.
import { readFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import { listenOnPort } from '../../support/sockets.ts';

const body = JSON.stringify({ message: 'Hello, World!', generatedAt: '2026-11-20T10:15:30.123+00:00' });
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = process.env;
const tls = cert !== undefined && key !== undefined && { cert: readFileSync(cert), key: readFileSync(key) };

const answer: RequestListener = (_request, response) => response.writeHead(200, headers).end(body);
const server = tls ? https.createServer(tls, answer) : http.createServer(answer);
console.log(`http${tls ? 's' : ''}://127.0.0.1:${await listenOnPort(server)}`);
