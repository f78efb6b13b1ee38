import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createObserver, type AccessRecord } from '../../src/http/access.ts';
import { startService } from '../support/service.ts';
import { exchange, exchangeOn, request, requestBytes } from '../support/wire.ts';

const TRACE_ID = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

test('each request that is over has one record, without its query', async (t) => {
  const { port, records } = await startService(t, { observed: true });
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const invalid = await request(port, 'GET', '/api/greetings?name=', [`traceparent: ${parent}`]);
  await request(port, 'POST', '/health?name=Ada');
  await request(port, 'GET', '/nope?name=Ada', ['Content-Length: 0']);
  assert.deepEqual(records.map(({ durationMs, traceId, ...record }) => record), [
    { method: 'GET', path: '/api/greetings', status: 400, remoteAddress: '127.0.0.1', aborted: undefined },
    { method: 'POST', path: '/health', status: 405, remoteAddress: '127.0.0.1', aborted: undefined },
    { method: 'GET', path: '/nope', status: 404, remoteAddress: '127.0.0.1', aborted: undefined },
  ]);
  for (const { durationMs = -1, traceId = '' } of records) {
    assert.ok(durationMs >= 0 && durationMs < 1000 && Number.isInteger(Math.round(durationMs * 1e6) / 1e3));
    assert.match(traceId, TRACE_ID);
  }
  assert.equal(records[0]?.traceId?.slice(0, 36), parent.slice(0, 36));
  assert.ok(invalid.body.includes(`"traceId":"${records[0]?.traceId}"`), 'it is the id that the client was told');
});

test('the id of an unexpected error is that of its record', async (t) => {
  const { port, records, reported } = await startService(t, { observed: true, now: () => assert.fail('no time') });
  await request(port, 'GET', '/api/greetings');
  assert.deepEqual(records.map(({ status, traceId }) => [status, traceId]), [[500, reported[0]?.traceId]]);
});

test('what is refused before routing has a record', async (t) => {
  const { port, records } = await startService(t, { observed: true, allowedHosts: ['localhost'] });
  await exchange(port, 'GET /api/greetings#?name=Ada HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await exchange(port, 'GET /health?name=Ada HTTP/1.1\r\nHost: other\r\n\r\n');
  await exchange(port, 'CONNECT a:80 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await exchange(port, 'BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await exchange(port, 'noise\r\n\r\n');
  assert.deepEqual(records.map(({ traceId, ...record }) => record), [
    { method: 'GET', path: '/api/greetings', status: 400, durationMs: 0, remoteAddress: '127.0.0.1' },
    { method: 'GET', path: '/health', status: 421, durationMs: 0, remoteAddress: '127.0.0.1' },
    { method: 'CONNECT', path: 'a:80', status: 404, durationMs: 0, remoteAddress: '127.0.0.1' },
    { status: 405, remoteAddress: '127.0.0.1' },
    { status: 400, remoteAddress: '127.0.0.1' },
  ]);
  for (const { traceId } of records.slice(0, 3)) assert.match(traceId ?? '', TRACE_ID);
});

test('what is refused while its content is read has one record, with that status', async (t) => {
  const { port, records } = await startService(t, { observed: true });
  const head = 'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  await exchange(port, `${head}z`);
  await exchange(port, `${head}10001\r\n${'x'.repeat(0x10001)}\r\n`);
  while (records.length < 2) await new Promise((resolve) => setImmediate(resolve)); // it is over when the client has gone
  assert.deepEqual(records.map(({ path, status, aborted }) => [path, status, aborted]), [['/health', 400, undefined], ['/health', 413, undefined]]);
});

test('a client that leaves before it has its reply is marked', async (t) => {
  const { port, server, records } = await startService(t, { observed: true });
  const socket = connect({ port, host: '127.0.0.1' });
  const requested = once(server, 'request');
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc');
  const [, response] = await requested;
  socket.resetAndDestroy();
  await once(response, 'close');
  assert.deepEqual(records.map(({ status, aborted, remoteAddress }) => [status, aborted, remoteAddress]), [[undefined, true, '127.0.0.1']]);
});

test('what comes after the last request on a connection has no record', async (t) => {
  const { port, records } = await startService(t, { observed: true });
  await exchangeOn(connect({ port, host: '127.0.0.1' }), requestBytes('GET', '/health') + requestBytes('GET', '/nope'));
  assert.deepEqual(records.map((record) => record.path), ['/health']);
});

test('a stream without an address has a record without one', () => {
  const records: AccessRecord[] = [];
  createObserver((record) => records.push(record)).unparsed(new PassThrough(), 400);
  assert.deepEqual(records, [{ status: 400, remoteAddress: undefined }]);
});
