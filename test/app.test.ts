// How the servers of an app differ, and what they have in common. What each reply says is in the contract.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { exchange, exchangeOn, request, requestBytes } from './support/exchange.ts';
import { field } from './support/replies.ts';
import { startService, tlsOptions } from './support/service.ts';
import { calm, listenOnPort } from './support/sockets.ts';

test('a server for HTTPS, and one that redirects to it, take targets with https, and refuse other hosts', async (t) => {
  const [tls, allowedHosts] = [await tlsOptions(t), ['a']];
  const secure = await startService(t, { allowedHosts, server: (app) => app.createHttpsServer(tls) });
  const redirecting = await startService(t, { allowedHosts, server: (app) => app.createRedirectServer(8443) });
  for (const [host, ...statuses] of [['a', 200, 307], ['b', 421, 421]] as const) {
    const bytes = `GET https://${host}/health HTTP/1.0\r\n\r\n`;
    const socket = connectTls({ port: secure.port, host: '127.0.0.1', rejectUnauthorized: false });
    const exchanges = [await exchangeOn(socket, bytes), await exchange(redirecting.port, bytes)];
    assert.deepEqual(exchanges.map(({ replies: [reply] }) => reply?.status), statuses);
  }
});

test('all servers of an app are unhealthy and stop together, and count together what is cut', async (t) => {
  const { app, port } = await startService(t);
  const ports = [port, await listenOnPort(app.createHttpServer().listener)];
  for (const each of ports) {
    connect(each, '127.0.0.1').on('error', () => {}).write(requestBytes('POST', '/health', ['Content-Length: 1']));
  }
  await calm(t, () => 0);
  app.startDraining();
  assert.equal(app.isDraining(), true);
  for (const each of ports) {
    const { status, headers } = await request(each, 'GET', '/health');
    assert.deepEqual([status, field({ headers }, 'Content-Type')], [503, 'text/plain']);
  }
  app.stopListening();
  for (const each of ports) await assert.rejects(exchange(each, ''), { code: 'ECONNREFUSED' });
  const isClosed = app.close();
  assert.equal(await Promise.race([isClosed, iteration('not yet')]), 'not yet');
  assert.equal(app.closeAll(), 2);
  await isClosed;
});
