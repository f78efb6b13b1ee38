import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LegalRequest } from '../../src/http/request.ts';
import { openRecord, type FinishedRequest } from '../../src/server/reports.ts';
import { requestBytes } from '../support/exchange.ts';
import { NO_REPORTS } from '../support/reports.ts';
import { readReplies, readToEnd, send, startServer } from '../support/server.ts';

const limit = { timeout: 60_000 };
const says = { method: 'GET', path: '/a', query: 'name=Ada', host: 'a', contentLength: 0, isLast: false, parent: undefined };
const parsed = () => new LegalRequest(says);

describe('a record', limit, () => {
  test('is reported when it is closed, with the time until then to the microsecond', (t) => {
    let now = 1000;
    t.mock.method(performance, 'now', () => now);
    const records: FinishedRequest[] = [];
    const asked = parsed();
    const record = openRecord(asked, '192.0.2.1', { ...NO_REPORTS, finished: (finished) => records.push(finished) });
    now += 1234.5674;
    record.status = 204;
    assert.deepEqual(records, []);
    record.close(false);
    assert.deepEqual(records, [{
      method: 'GET', path: '/a', status: 204, durationMs: 1234.567,
      traceId: asked.traceparent, remoteAddress: '192.0.2.1', aborted: undefined,
    }]);
  });

  test('of bytes that are no request is without what they do not say, and says that the reply has not been flushed', (t) => {
    t.mock.method(performance, 'now', () => 1000);
    const records: FinishedRequest[] = [];
    openRecord({}, undefined, { ...NO_REPORTS, finished: (finished) => records.push(finished) }).close(true);
    const none = { method: undefined, path: undefined, status: undefined, traceId: undefined, remoteAddress: undefined };
    assert.deepEqual(records, [{ ...none, durationMs: 0, aborted: true }]);
  });

  test('is not made without an access log', () => {
    assert.equal(openRecord(parsed(), undefined, NO_REPORTS), openRecord({}, '192.0.2.1', NO_REPORTS));
  });

  test('that cannot be reported is an error, which is reported', () => {
    const failure = new Error('It failed.');
    const failures: unknown[] = [];
    const asked = parsed();
    const reports = { ...NO_REPORTS, failed: (...of: readonly unknown[]) => failures.push(of), finished: () => { throw failure; } };
    for (const one of [asked, {}]) openRecord(one, undefined, reports).close(false);
    assert.deepEqual(failures, [[failure, asked.traceparent], [failure, '']]);
  });
});

describe('each request has one record', limit, () => {
  test('without its query, with the id that its handler and those who are told of an error get', async (t) => {
    const ids: unknown[] = [];
    const server = await startServer(t, {
      handler: ({ traceparent }) => {
        ids.push(traceparent);
        throw new Error('It failed.');
      },
      reports: { failed: (_, traceId) => ids.push(traceId) },
    });
    const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await server.statusesFor(requestBytes('POST', '/a?name=Ada', [`traceparent: ${parent}`, 'Connection: close']));
    const [{ durationMs, traceId, ...record } = { durationMs: -1, traceId: undefined }] = server.records;
    assert.deepEqual(record, { method: 'POST', path: '/a', status: 500, remoteAddress: '127.0.0.1', aborted: undefined });
    assert.deepEqual(ids, [traceId, traceId]);
    assert.equal(traceId?.slice(0, 36), parent.slice(0, 36));
    assert.ok(durationMs >= 0 && durationMs < 60_000);
  });

  test('also one that is refused, for its head or its content', async (t) => {
    const server = await startServer(t, { isAllowed: (host) => host === 'a' });
    const chunked = 'GET /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const [bytes, ...record] of [
      ['GET /b#?name=Ada HTTP/1.1\r\nHost: a\r\n\r\n', 'GET', '/b', 400],
      ['GET /b?name=Ada HTTP/1.1\r\nHost: other\r\n\r\n', 'GET', '/b', 421],
      ['CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT', 'a:80', 501],
      ['noise\r\n\r\n', undefined, undefined, 400],
      ['GET /b?name=Ada HTTP/1.1\r\nHost: a\r\nX y: z\r\n', 'GET', '/b', 400],
      [`${chunked}z\r\n`, 'GET', '/b', 400],
      [`${chunked}8000\r\n${'x'.repeat(0x8000)}\r\n8001\r\n${'x'.repeat(0x8001)}zz`, 'GET', '/b', 413],
    ] as const) {
      await server.statusesFor(bytes);
      const records = server.records.splice(0).map(({ method, path, status }) => [method, path, status]);
      assert.deepEqual([records, server.refusals.splice(0)], [[record], [record[2]]]);
    }
  });

  for (const [what, field, after, records] of [
    ['a connection that stays open', '', 'noise\r\n\r\n', [[200, 2500.25], [400, 0]]],
    ['its last request', 'Connection: close\r\n', '', [[200, 2500.25]]],
  ] as const) {
    test(`whose duration counts the time that its content takes, on ${what}`, async (t) => {
      let now = 1000;
      t.mock.method(performance, 'now', () => now);
      const server = await startServer(t);
      const pair = await server.open();
      await send(pair, `POST / HTTP/1.1\r\nHost: a\r\n${field}Content-Length: 5\r\n\r\nab`);
      now += 2500.25;
      pair.client.write(`cde${after}`);
      await readReplies(pair.client, 1);
      await readToEnd(pair.client);
      assert.deepEqual(server.records.map(({ status, durationMs }) => [status, durationMs]), records);
    });
  }
});
