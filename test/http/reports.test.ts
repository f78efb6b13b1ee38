import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { OpenRecords } from '../../src/http/reports.ts';
import { ParsedRequest } from '../../src/http/parsed-request.ts';
import type { FinishedRequest } from '../../src/http/reports.ts';
import { startService } from '../support/service.ts';
import { exchange, exchangeOn, request } from '../support/wire.ts';

const TRACE_ID = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

/** A clock of milliseconds that stands still until it is told. */
function stopTheClock(t: TestContext): (ms: number) => void {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  return (ms) => {
    now += ms;
  };
}

/** The open records of a connection, and what is reported of them. */
function start(finished?: () => void) {
  const records: FinishedRequest[] = [];
  const failures: { error: unknown; traceId: string }[] = [];
  const socket = new Socket();
  const openRecords = new OpenRecords(socket, {
    failed: (error, traceId) => failures.push({ error, traceId }),
    refused: () => assert.fail(),
    dropped: () => assert.fail(),
    finished: finished ?? ((record) => records.push(record)),
  });
  return { openRecords, socket, records, failures };
}

test('a reply is not recorded as whole when its connection has ended or has failed', async () => {
  for (const error of [undefined, new Error('write EPIPE')]) {
    const { openRecords, socket, records } = start();
    openRecords.open(parsed()).status = 200;
    socket.on('error', () => {}).destroy(error);
    openRecords.close();
    assert.deepEqual(records.map(({ status, aborted }) => [status, aborted]), [[200, true]]);
    await new Promise((resolve) => socket.once('close', resolve));
    assert.equal(records.length, 1);
  }
});

const parsed = () => new ParsedRequest('GET', '/a?name=Ada', '1.1', ['Host', 'a']);

test('a record is complete when the reply has left, and has the time until then to the microsecond', (t) => {
  const pass = stopTheClock(t);
  const { openRecords, records } = start();
  const asked = parsed();
  const record = openRecords.open(asked);
  pass(1000);
  record.status = 204;
  assert.deepEqual(records, []);
  pass(234.5674);
  openRecords.close();
  assert.deepEqual(records, [{
    method: 'GET', path: '/a', status: 204, durationMs: 1234.567, traceId: asked.traceId, remoteAddress: undefined, aborted: undefined,
  }]);
});

test('bytes that are no request have a record without what they do not say', (t) => {
  stopTheClock(t);
  const { openRecords, records } = start();
  openRecords.open(undefined).status = 400;
  openRecords.close();
  assert.deepEqual(records, [{ method: undefined, path: undefined, status: 400, durationMs: 0, traceId: undefined, remoteAddress: undefined, aborted: undefined }]);
});

test('a reply that could not leave is marked', async () => {
  const { openRecords, socket, records } = start();
  openRecords.open(parsed()).status = 200;
  socket.on('error', () => {}).end('reply', openRecords.close); // it is not connected, so writing fails
  await new Promise((resolve) => socket.once('close', resolve));
  assert.deepEqual(records.map(({ status, aborted }) => [status, aborted]), [[200, true]]);
});

test('records are closed in the order of the requests; when the connection ends, those that are open are reported once, and marked', async () => {
  const { openRecords, socket, records } = start();
  const [first, second] = [openRecords.open(parsed()), openRecords.open(parsed())];
  openRecords.open(undefined);
  second.status = 201; // a reply may be known before the reply to an earlier request
  first.status = 200;
  openRecords.close();
  socket.destroy();
  await once(socket, 'close');
  openRecords.close();
  assert.deepEqual(records.map(({ status, aborted }) => [status, aborted]), [[200, undefined], [201, true], [undefined, true]]);
});

test('an error of the access log is reported', () => {
  const failure = new Error('It failed.');
  const { openRecords, failures } = start(() => { throw failure; });
  const asked = parsed();
  for (const request of [asked, undefined]) {
    openRecords.open(request);
    openRecords.close();
  }
  assert.deepEqual(failures, [{ error: failure, traceId: asked.traceId }, { error: failure, traceId: '' }]);
});

/** The records without what differs each time, once it has been seen to be what it should be. */
function comparable(records: readonly FinishedRequest[]) {
  return records.map(({ durationMs, traceId, ...record }) => {
    assert.ok(durationMs >= 0 && Number.isInteger(Math.round(durationMs * 1e6) / 1e3), `${durationMs}`);
    if (record.method === undefined) assert.equal(traceId, undefined);
    else assert.match(traceId ?? '', TRACE_ID);
    return record;
  });
}

const of = { remoteAddress: '127.0.0.1', aborted: undefined };

test('each request that is over has one record, without its query', async (t) => {
  const { port, records } = await startService(t, { observed: true });
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const invalid = await request(port, 'GET', '/api/greetings?name=', [`traceparent: ${parent}`]);
  await request(port, 'POST', '/health?name=Ada');
  await request(port, 'GET', '/nope?name=Ada', ['Content-Length: 0']);
  await exchange(port, 'GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /api/greetings?name=Ada HTTP/1.0\r\n\r\n');
  assert.deepEqual(comparable(records), [
    { method: 'GET', path: '/api/greetings', status: 400, ...of },
    { method: 'POST', path: '/health', status: 405, ...of },
    { method: 'GET', path: '/nope', status: 404, ...of },
    { method: 'GET', path: '/health', status: 200, ...of },
    { method: 'GET', path: '/api/greetings', status: 200, ...of },
  ]);
  assert.equal(records[0]?.traceId?.slice(0, 36), parent.slice(0, 36));
  assert.ok(invalid.body.includes(`"traceId":"${records[0]?.traceId}"`), 'it is the id that the client was told');
});

test('the id of an unexpected error is that of its record', async (t) => {
  const { port, records, reported } = await startService(t, { observed: true, now: () => assert.fail('no time') });
  await request(port, 'GET', '/api/greetings');
  assert.deepEqual(records.map(({ status, traceId }) => [status, traceId]), [[500, reported[0]?.traceId]]);
});

test('what is refused has a record, too', async (t) => {
  const { port, records } = await startService(t, { observed: true, allowedHosts: ['localhost'] });
  await exchange(port, 'GET /api/greetings#?name=Ada HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await exchange(port, 'GET /health?name=Ada HTTP/1.1\r\nHost: other\r\n\r\n');
  await exchange(port, 'CONNECT a:80 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await exchange(port, 'BREW /health?name=Ada HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await exchange(port, 'noise\r\n\r\n');
  assert.deepEqual(comparable(records), [
    { method: 'GET', path: '/api/greetings', status: 400, ...of },
    { method: 'GET', path: '/health', status: 421, ...of },
    { method: 'CONNECT', path: 'a:80', status: 501, ...of },
    { method: 'BREW', path: '/health', status: 405, ...of },
    { method: undefined, path: undefined, status: 400, ...of },
  ]);
});

test('what is refused for its content has one record, with that status', async (t) => {
  const { port, records } = await startService(t, { observed: true });
  const head = 'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  await exchange(port, `${head}z`);
  await exchange(port, `${head}10001\r\n${'x'.repeat(0x10001)}\r\n`);
  assert.deepEqual(comparable(records), [
    { method: 'GET', path: '/health', status: 400, ...of },
    { method: 'GET', path: '/health', status: 413, ...of },
  ]);
});

for (const fields of ['', 'Connection: close\r\n']) {
  test(`the duration of a request counts the time that its content takes, ${fields === '' ? 'on a connection that stays open' : 'and on its last request'}`, async (t) => {
    const pass = stopTheClock(t);
    const { server, port, records } = await startService(t, { observed: true });
    const socket = connect({ port, host: '127.0.0.1' });
    const requested = once(server, 'request');
    socket.write(`POST /health HTTP/1.1\r\nHost: a\r\n${fields}Content-Length: 5\r\n\r\nab`);
    await requested;
    pass(2500.25);
    await exchangeOn(socket, `cde${fields === '' ? 'noise\r\n\r\n' : ''}`);
    assert.deepEqual(records.map(({ status, durationMs }) => [status, durationMs]), fields === '' ? [[405, 2500.25], [400, 0]] : [[405, 2500.25]]);
  });
}

test('a client that leaves before it has its reply is marked', async (t) => {
  const { port, server, records } = await startService(t, { observed: true });
  const socket = connect({ port, host: '127.0.0.1' });
  const requested = once(server, 'request');
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc');
  const [message] = await requested;
  const closed = new Promise((resolve) => message.socket.once('close', resolve));
  socket.resetAndDestroy();
  await closed;
  assert.deepEqual(comparable(records), [{ method: 'GET', path: '/health', status: undefined, remoteAddress: '127.0.0.1', aborted: true }]);
});
