// What the servers of an app have in common, and how they differ. What each reply says is in the contract, and how a
// process stops in https.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { App } from '../src/app.ts';
import { exchange, exchangeOn, request, requestBytes } from './support/exchange.ts';
import { field } from './support/replies.ts';
import { startService, tlsOptions } from './support/service.ts';
import { calm, listenOnPort } from './support/sockets.ts';

test('a server that redirects refuses what any other refuses, and does not report what it redirects', async (t) => {
  const server = (app: App) => app.createRedirectServer(8443);
  const { port, refusals } = await startService(t, { allowedHosts: ['a'], server });
  for (const [line, host, status, location] of [
    ['GET /health?"a"=%20 HTTP/1.1', 'a:80', 307, 'https://a:8443/health?%22a%22=%20'],
    ['PUT https://A/other HTTP/1.1', 'a', 307, 'https://a:8443/other'],
    ['GET http://a:80/health HTTP/1.0', undefined, 307, 'https://a:8443/health'],
    ['GET /health HTTP/1.1', 'b', 421], ['GET /health HTTP/1.0', undefined, 421], ['GET /health HTTP/1.1', 'a/', 400],
  ] as const) {
    const hosts = host === undefined ? [] : [`Host: ${host}`];
    const { replies, ended } = await exchange(port, [line, ...hosts, 'Connection: close', '', ''].join('\r\n'));
    const seen = replies.map((reply) => [reply.status, field(reply, 'location'), field(reply, 'content-length')]);
    assert.deepEqual([seen, ended], [[[status, location, '0']], true], line);
  }
  assert.deepEqual(refusals, ['hostNotAllowed', 'hostNotAllowed', 'hostIllegal']);
});

test('a server for HTTPS takes such targets, and refuses other hosts', async (t) => {
  const tls = await tlsOptions(t);
  const { port } = await startService(t, { allowedHosts: ['a'], server: (app) => app.createHttpsServer(tls) });
  for (const [host, status] of [['a', 200], ['b', 421]] as const) {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    const { replies } = await exchangeOn(socket, `GET https://${host}/health HTTP/1.0\r\n\r\n`);
    assert.deepEqual(replies.map((reply) => reply.status), [status], host);
  }
});

test('all servers of an app are unhealthy and stop together, and count together what is cut', async (t) => {
  const { app, port } = await startService(t);
  const ports = [port, await listenOnPort(app.createHttpServer().listener)];
  for (const each of ports) {
    const client = connect(each, '127.0.0.1').on('error', () => {});
    client.write(requestBytes('GET', '/health', []));
    await once(client, 'data');
    client.write(requestBytes('POST', '/health', ['Content-Length: 1']));
  }
  await calm(t, () => 0);
  assert.equal(app.isDraining(), false);
  app.startDraining();
  assert.equal(app.isDraining(), true);
  for (const each of ports) assert.equal((await request(each, 'GET', '/health')).status, 503);
  app.stopListening();
  for (const each of ports) await assert.rejects(exchange(each, ''), { code: 'ECONNREFUSED' });
  const isClosed = app.close();
  assert.equal(app.closeAll(), 2);
  await isClosed;
});
