// How the servers of an app differ, and what they have in common. What each reply says is in the contract.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { App } from '../src/app.ts';
import { tlsOptions } from './support/certificates.ts';
import { CLOSE, exchange, exchangeOn, get } from './support/exchange.ts';
import { field } from './support/replies.ts';
import { keepReports, startService } from './support/service.ts';
import { listenOnPort, until } from './support/sockets.ts';

test('servers for HTTPS, and those that redirect to it, take targets with https, of their hosts alone', async (t) => {
  const allowedHosts = ['a'];
  const secure = await startService(t, { allowedHosts, server: (app) => app.createHttpsServer(tlsOptions(t)) });
  const redirecting = await startService(t, { allowedHosts, server: (app) => app.createRedirectServer(8443) });
  for (const [head, status] of [
    ['GET https://a/health HTTP/1.0', 200], ['GET https://b/health HTTP/1.0', 421], ['GET /health HTTP/1.0', 421],
    ['GET http://a/health HTTP/1.0', 200], ['GET https://a:443/health HTTP/1.1\r\nHost: a', 200],
    ['GET https://a:80/health HTTP/1.1\r\nHost: a', 400],
  ] as const) {
    const bytes = `${head}\r\nConnection: close\r\n\r\n`;
    const socket = connectTls({ port: secure.port, host: '127.0.0.1', rejectUnauthorized: false });
    const [ofSecure, ofRedirecting] = [await exchangeOn(socket, bytes), await exchange(redirecting.port, bytes)];
    assert.equal(ofSecure[0]?.status, status, head);
    assert.equal(ofRedirecting[0]?.status, status === 200 ? 307 : status, head);
  }
});

test('a trusted proxy says that its client came over HTTPS; it is not believed if lines may be hidden', async (t) => {
  const server = (app: App) => app.createRedirectServer(443);
  const { port, records } = await startService(t, { isTrustedProxy: () => true, server });
  const [served] = await exchange(port, get('/health', 'X-Forwarded-Proto: https', CLOSE));
  // Node 20 hides the last lines, which are the proxy's own.
  const lines = ['X-Forwarded-For: 192.0.2.9', ...Array<string>(99).fill('a:'), 'b:', 'X-Forwarded-For: 192.0.2.10'];
  const [refused] = await exchange(port, get('/health', ...lines));
  await until(() => records.length === 2);
  assert.deepEqual([served?.status, refused?.status, records[1]?.remoteAddress], [200, 431, '127.0.0.1']);
});

test('an app says how busy it is', async (t) => {
  let records = 0;
  const finished = () => {
    records += 1;
    for (const end = performance.now() + 5; performance.now() < end;);
  };
  const { app, port } = await startService(t, { reports: { ...keepReports().reports, finished } });
  const ports = [port, await listenOnPort(app.createPlainServer().httpServer)];
  const clients = ports.map((each) => connect(each, '127.0.0.1').on('error', () => {}).resume());
  await until(() => app.load().openConnections === 2);
  for (const client of clients) client.write(get('/health').repeat(5));
  await until(() => records === 10); // those of one client have waited while those of the other were answered
  const { longestTurnWaitMs, ...load } = app.load();
  assert.ok(longestTurnWaitMs >= 4, `${longestTurnWaitMs}`);
  const now = { openConnections: 2, handlers: 0, longestSeatWaitMs: 0 };
  assert.deepEqual([load, app.load()], [now, { ...now, longestTurnWaitMs: 0 }]);
});

test('the servers of an app stop together', async (t) => {
  const { app, port } = await startService(t);
  const ports = [port, await listenOnPort(app.createPlainServer().httpServer)];
  const waiting = async (each: number) => {
    const client = connect(each, '127.0.0.1').on('error', () => {});
    await new Promise((sent) => client.write(get('/health', 'Content-Length: 1'), sent));
    return client;
  };
  const clients = await Promise.all(ports.map(waiting));
  await Promise.all(ports.map(waiting)); // for the end
  app.startDraining();
  assert.equal(app.isDraining(), true);
  for (const client of clients) {
    const [reply = assert.fail()] = await exchangeOn(client, 'x'); // the last one on its connection
    assert.deepEqual([reply.status, field(reply, 'Content-Type')], [503, 'text/plain']);
  }
  app.stopListening();
  for (const each of ports) await assert.rejects(exchange(each, ''), { code: 'ECONNREFUSED' });
  const isClosed = app.close();
  assert.equal(await Promise.race([isClosed, nextIteration('not yet')]), 'not yet');
  assert.equal(app.closeAll(), 2);
  await isClosed;
});
