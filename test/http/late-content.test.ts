// Node may parse the next requests before it hands on the last content of the one before them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dialLine } from '../fuzz/line.ts';
import { play } from '../fuzz/play.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { startService } from '../support/service.ts';
import { parseReplies, requestBytes } from '../support/wire.ts';

const GET = requestBytes('GET', '/health', []);
// One byte more than is accepted, in two chunks.
const CONTENT = `8000\r\n${'x'.repeat(0x8000)}\r\n8001\r\n${'x'.repeat(0x8001)}\r\n0\r\n\r\n`;

test('content that is too large is refused, and nothing behind it is answered, when the next request has been parsed already', async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const keyPair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const { port, records } = await startService(t, { observed: true, server: (app) => app.createSecureServer(keyPair) });
  // While so many replies wait node keeps the content, and over TLS it then hands it on in one piece.
  const bytes = GET.repeat(700) + requestBytes('POST', '/health', ['Transfer-Encoding: chunked']) + CONTENT + GET;
  const { received, ended } = await play({ steps: [{ kind: 'stop reading' }, { kind: 'send', bytes }] }, dialLine(port, true), () => undefined);
  const statuses = parseReplies(received).map(({ status }) => status);
  assert.deepEqual(statuses, [...Array.from({ length: 700 }, () => 200), 413]);
  assert.ok(ended);
  assert.deepEqual(records.map(({ status }) => status), statuses);
});

test('a client that ends its side in the middle of content gets every reply before it, and a 400', async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const keyPair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const { port, records } = await startService(t, { observed: true, server: (app) => app.createSecureServer(keyPair) });
  // While so many replies wait node has paused its parser, and over TLS it is told all the same that the client has ended.
  const bytes = `${GET.repeat(700)}${requestBytes('POST', '/health', ['Transfer-Encoding: chunked'])}3\r\nab`;
  const { received, ended } = await play({ steps: [{ kind: 'send', bytes }, { kind: 'end' }] }, dialLine(port, true), () => undefined);
  const statuses = parseReplies(received).map(({ status }) => status);
  assert.deepEqual(statuses, [...Array.from({ length: 700 }, () => 200), 400]);
  assert.ok(ended);
  assert.deepEqual(records.map(({ status, aborted }) => [status, aborted]), statuses.map((status) => [status, undefined]));
});
