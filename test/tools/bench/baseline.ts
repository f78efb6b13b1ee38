// The baseline: the smallest server on node:http or, with TLS files, node:https. It has one reply and no routes.
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { listenOnPort } from '../../support/sockets.ts';
import { REPLY } from '../api.ts';

const body = JSON.stringify(REPLY);
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = process.env;
const answer: RequestListener = (_request, response) => void response.writeHead(200, headers).end(body);
const options = { keepAliveTimeout: 75_000 }; // longer than others are measured

async function create() {
  if (cert === undefined || key === undefined) return createServer(options, answer);
  const https = await import('node:https'); // only if it is needed: it takes memory, and time at the start
  return https.createServer({ ...options, cert: readFileSync(cert), key: readFileSync(key) }, answer);
}

console.log(`http${cert === undefined ? '' : 's'}://127.0.0.1:${await listenOnPort(await create())}`);
