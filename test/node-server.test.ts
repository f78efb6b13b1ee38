// What the contract cannot show of SERVER=node: time limits, the end of connections, reports, and TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { readConfiguration } from '../src/host/configuration.ts';
import { contentReply, type Handler } from '../src/http/messages.ts';
import { createServer } from '../src/node-server.ts';
import type { FinishedRequest, ServerOptions } from '../src/server/interface.ts';
import { parseReplies, requestBytes } from './support/exchange.ts';
import { brief, readToEnd, tlsOptions } from './support/server.ts';
import { closeAfter } from './support/service.ts';
import { iterations, listenOnPort, until } from './support/sockets.ts';

const limit = { timeout: 60_000 };
const GET = requestBytes('GET', '/a', []);
const POST = `${requestBytes('POST', '/b', ['Content-Length: 2'])}x`; // a byte is missing
const EXPECT = ['Expect: 100-continue'];
const SHORT = { headMs: 200, requestMs: 400, sweepMs: 20, closeIdleMs: 20, unreadMs: 1_000_000 };

async function start(t: TestContext, options: Partial<ServerOptions> = {}, tls?: SecureContextOptions) {
  const told: unknown[] = [], records: FinishedRequest[] = [];
  const server = await createServer({
    ...readConfiguration({}), handler: () => contentReply(200, 'text/plain', 'Hello'), refuseHost: () => undefined, isDraining: () => false,
    reports: {
      failed: (error) => told.push(String(error)), refused: (reason) => told.push(reason), ended: (reason) => told.push(reason),
      dropped: (reason) => told.push(reason), finished: (record) => records.push(record),
    },
    ...options,
  }, tls);
  const port = await listenOnPort(server.listener);
  closeAfter(t, server);
  const accepted: Socket[] = [];
  server.listener.on('connection', (socket) => accepted.push(socket));
  /** Connects, and sends these bytes. */
  function open(bytes = ''): Socket {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    t.after(() => client.destroy());
    client.write(bytes, 'latin1');
    return client;
  }
  const statuses = async (client: Socket) => parseReplies(await readToEnd(client)).map(({ status, headers }) => [status, headers.at(-1)]);
  return { ...server, port, told, records, accepted, open, statuses, seen: (count: number) => until(() => accepted.length >= count) };
}

test('requests that take too long get a 408; a connection that sends nothing is closed without a reply', limit, async (t) => {
  const { open, statuses, told, records } = await start(t, { limits: SHORT });
  const clients = ['', 'GET / HT', POST, `${GET}GE`].map(open);
  const late = [408, 'Connection: close'];
  assert.deepEqual(await Promise.all(clients.map(statuses)), [[], [late], [late], [[200, 'Connection: keep-alive'], late]]);
  assert.deepEqual(told.sort(), ['headTooSlow', 'headTooSlow', 'requestTooSlow']);
  assert.deepEqual(records.map(({ path, status }) => `${path} ${status}`).sort(), ['/a 200', '/b 408', 'undefined 408', 'undefined 408']);
});

test('replies go in the order of the requests, and a refusal ends the connection, whatever follows', limit, async (t) => {
  const handled: string[] = [];
  const handler: Handler = ({ path }) => { handled.push(path); return contentReply(200, 'text/plain', 'Hello'); };
  const { open, statuses, told, records, accepted } = await start(t, { handler, limits: { lingerMs: 100, unreadMs: 1_000_000 } });
  for (const [bytes, ...expected] of [
    [`${POST}y${GET}\x00${GET}`, 200, 200, 400],
    [`${POST}y${GET}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${GET}`, 200, 200, 501],
    [`${POST}y${requestBytes('GET', '/d', EXPECT)}${requestBytes('PUT', '/e', [...EXPECT, 'Content-Length: 1'])}`, 200, 200, 200],
    [`${requestBytes('POST', '/b', ['Connection: close', 'Content-Length: 1'])}x\x00`, 200],
    [`${requestBytes('GET', '/c', ['Host: b'])}${GET}`, 400],
  ] as const) {
    const client = open(bytes);
    const replies = await statuses(client);
    client.write('\x00');
    assert.deepEqual(replies, expected.map((status, i) => [status, `Connection: ${i === expected.length - 1 ? 'close' : 'keep-alive'}`]));
  }
  await until(() => accepted.every(({ destroyed }) => destroyed)); // the clients have not ended their sides
  assert.deepEqual(told, ['nodeParser', 'connectUnsupported', 'hostTwice']);
  assert.deepEqual(handled, ['/b', '/a', '/b', '/a', '/b', '/d', '/e', '/b']); // and nothing that follows a refusal is read as a request
  assert.equal(records.length, 11);
  assert.ok(records.every(({ aborted, remoteAddress }) => aborted === undefined && remoteAddress === '127.0.0.1'));
});

test('while the service is draining, no handler gets what follows a request with content, and it is not logged', limit, async (t) => {
  const handled: string[] = [];
  const handler: Handler = ({ path }) => { handled.push(path); return contentReply(200, 'text/plain', ''); };
  const { open, statuses, told, records, accepted } = await start(t, { handler, isDraining: () => true });
  assert.deepEqual(await statuses(open(`${POST}y${GET}`)), [[200, 'Connection: close']]);
  await until(() => accepted.every(({ destroyed }) => destroyed));
  await iterations();
  assert.deepEqual([handled, told, records.map(brief)], [['/b'], [], [['/b', 200, undefined]]]);
});

test('no handler gets a request that is refused while its content arrives, though its end arrives, too', limit, async (t) => {
  const handled: string[] = [];
  const { open, statuses } = await start(t, { handler: ({ path }) => { handled.push(path); return contentReply(200, 'text/plain', ''); } });
  const content = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
  const client = open(requestBytes('POST', '/a', ['Transfer-Encoding: chunked']) + content(65_536) + content(1) + '0\r\n\r\n');
  assert.deepEqual([await statuses(client), handled], [[[413, 'Connection: close']], []]);
});

test('a refused request is logged with what is known of it, also when its refusal cannot be sent', limit, async (t) => {
  const { open, statuses, told, records } = await start(t, { handler: () => contentReply(200, 'text/plain', 'x'.repeat(20_000_000)) });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  await statuses(open(requestBytes('GET', '/a', ['Host: b', `traceparent: 00-${trace}-00f067aa0ba902b7-01`])));
  await statuses(open('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'));
  await until(() => records.length === 2);
  const parts = records.map(({ method, path, reason }) => [method, path, reason]);
  assert.deepEqual(parts, [['GET', '/a', 'hostTwice'], ['CONNECT', '', 'connectUnsupported']]);
  assert.equal(records[0]?.traceId?.slice(3, 35), trace);
  const unread = open(`${GET}\x00`).pause();
  await until(() => told.at(-1) === 'nodeParser');
  unread.resetAndDestroy();
  await until(() => records.length === 4);
  assert.deepEqual(records.slice(2).map(({ status, aborted }) => [status, aborted]).sort(), [[200, true], [400, true]]);
});

test('a connection whose client reads nothing is closed, also after CONNECT', limit, async (t) => {
  const long = contentReply(200, 'text/plain', 'x'.repeat(20_000_000));
  const { open, accepted, seen } = await start(t, { limits: { ...SHORT, unreadMs: 100 }, handler: () => long });
  open(`${GET}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`).pause();
  await seen(1);
  await until(() => accepted[0]?.destroyed === true);
});

test('an error in a handler, a client that leaves and a connection above the maximum are reported', limit, async (t) => {
  const handler = () => { throw new TypeError('boom'); };
  const { open, statuses, told, records, accepted, closeAll } = await start(t, { maxConnections: 1, handler });
  const first = open(GET);
  await once(first, 'data');
  await statuses(open());
  first.write(POST);
  await until(() => told.length === 2);
  await until(() => accepted[0]?.bytesRead === GET.length + POST.length);
  first.resetAndDestroy();
  await until(() => records.length === 2);
  assert.deepEqual(told, ['TypeError: boom', 'newRefused', 'resetBeforeReply']);
  assert.deepEqual(records.map(brief), [['/a', 500, undefined], ['/b', undefined, true]]);
  assert.equal(closeAll(), 0); // what has left is not cut
});

test('at the stop, idle connections close, then silent ones; requests in progress get a last reply, or are cut', limit, async (t) => {
  let draining = false;
  const server = await start(t, { limits: SHORT, isDraining: () => draining });
  const { open, statuses, listener, stopListening, close, closeAll, records, seen, told } = server;
  const idle = open(GET);
  await once(idle, 'data');
  const [silent, half, cut] = [open(), open(POST), open(`${GET}${POST}`)];
  await once(cut, 'data');
  await seen(4);
  draining = true;
  stopListening();
  assert.equal(listener.listening, false);
  const isOver = close();
  assert.deepEqual([await statuses(idle), await statuses(silent)], [[], []]);
  half.write('y');
  assert.deepEqual(await statuses(half), [[200, 'Connection: close']]);
  assert.equal(closeAll(), 1);
  await isOver;
  assert.deepEqual(records.map(brief).at(-1), ['/b', undefined, true]);
  assert.deepEqual(told, []);
});

test('over TLS, handshakes that fail or are slow are reported, and connections close that have sent nothing since', limit, async (t) => {
  const { open, port, told, listener, close, closeAll } = await start(t, { limits: SHORT }, await tlsOptions(t));
  for (const [bytes, reason] of [['GET / HTTP/1.1\r\n\r\n', 'tlsFailed'], ['', 'handshakeTooSlow']] as const) {
    await readToEnd(open(bytes));
    assert.equal(told.pop(), reason);
  }
  const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {});
  await Promise.all([once(client, 'secureConnect'), once(listener, 'secureConnection')]);
  await close();
  assert.equal(closeAll(), 0);
});
