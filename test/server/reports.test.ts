import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../src/http/refusal.ts';
import { LegalRequest } from '../../src/http/request.ts';
import { openRecord, type FinishedRequest } from '../../src/server/reports.ts';
import { openPair, sendRead } from '../support/both-sides.ts';
import { NO_REPORTS } from '../support/reports.ts';
import { startService } from '../support/service.ts';
import { stopTheClock } from '../support/stopped-clock.ts';
import { exchange, exchangeOn, request } from '../support/exchange.ts';

const TRACE_ID = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

/** Opens records, and tells what is reported of them. */
function start(finished?: () => void) {
  const records: FinishedRequest[] = [];
  const failures: { error: unknown; traceId: string }[] = [];
  const reports = {
    failed: (error: unknown, traceId: string) => failures.push({ error, traceId }),
    refused: () => assert.fail(),
    ended: () => assert.fail(),
    dropped: () => assert.fail(),
    finished: finished ?? ((record: FinishedRequest) => records.push(record)),
  };
  return { open: (asked: LegalRequest | Refusal) => openRecord(asked, '192.0.2.1', reports), records, failures };
}

const parsed = () => new LegalRequest({ method: 'GET', path: '/a', query: 'name=Ada', host: 'a', contentLength: 0, isLast: false, parent: undefined });

test('a record is reported when it is closed, with the time until then to the microsecond', (t) => {
  const pass = stopTheClock(t);
  const { open, records } = start();
  const asked = parsed();
  const record = open(asked);
  pass(1000);
  record.status = 204;
  assert.deepEqual(records, []);
  pass(234.5674);
  record.close(false);
  assert.deepEqual(records, [{
    method: 'GET', path: '/a', status: 204, durationMs: 1234.567, traceId: asked.traceparent, remoteAddress: '192.0.2.1', aborted: undefined,
  }]);
});

test('bytes that are no request have a record without what they do not say; a reply that has not left is marked', (t) => {
  stopTheClock(t);
  const { open, records } = start();
  open(new Refusal(400)).close(true);
  assert.deepEqual(records, [{ method: undefined, path: undefined, status: undefined, durationMs: 0, traceId: undefined, remoteAddress: '192.0.2.1', aborted: true }]);
});

test('without an access log, nothing is reported when a record is closed', () => {
  openRecord(parsed(), undefined, NO_REPORTS).close(true);
});

test('an error of the access log is reported', () => {
  const failure = new Error('It failed.');
  const { open, failures } = start(() => { throw failure; });
  const asked = parsed();
  for (const one of [asked, new Refusal(400)]) open(one).close(false);
  assert.deepEqual(failures, [{ error: failure, traceId: asked.traceparent }, { error: failure, traceId: '' }]);
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

describe('each request has one record', { timeout: 20_000 }, () => {
  test('without its query', async (t) => {
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

  test('also one that is refused', async (t) => {
    const { port, records } = await startService(t, { observed: true, allowedHosts: ['localhost'] });
    await exchange(port, 'GET /api/greetings#?name=Ada HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await exchange(port, 'GET /health?name=Ada HTTP/1.1\r\nHost: other\r\n\r\n');
    await exchange(port, 'CONNECT a:80 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await exchange(port, 'noise\r\n\r\n');
    await exchange(port, 'GET /health?name=Ada HTTP/1.1\r\nHost: localhost\r\nX y: z\r\n');
    assert.deepEqual(comparable(records), [
      { method: 'GET', path: '/api/greetings', status: 400, ...of },
      { method: 'GET', path: '/health', status: 421, ...of },
      { method: 'CONNECT', path: 'a:80', status: 501, ...of },
      { method: undefined, path: undefined, status: 400, ...of },
      { method: 'GET', path: '/health', status: 400, ...of },
    ]);
  });

  test('also one that is refused for its content, with that status', async (t) => {
    const { port, records } = await startService(t, { observed: true });
    const head = 'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    await exchange(port, `${head}z\r\n`);
    await exchange(port, `${head}10001\r\n${'x'.repeat(0x10001)}\r\n`);
    assert.deepEqual(comparable(records), [
      { method: 'GET', path: '/health', status: 400, ...of },
      { method: 'GET', path: '/health', status: 413, ...of },
    ]);
  });

  for (const fields of ['', 'Connection: close\r\n']) {
    test(`the duration of a request counts the time that its content takes, ${fields === '' ? 'on a connection that stays open' : 'and on its last request'}`, async (t) => {
      const pass = stopTheClock(t);
      const service = await startService(t, { observed: true });
      const pair = await openPair(t, service);
      await sendRead(pair, `POST /health HTTP/1.1\r\nHost: a\r\n${fields}Content-Length: 5\r\n\r\nab`);
      pass(2500.25);
      pair.client.once('end', () => pair.client.end());
      await exchangeOn(pair.client, `cde${fields === '' ? 'noise\r\n\r\n' : ''}`);
      const { records } = service;
      assert.deepEqual(records.map(({ status, durationMs }) => [status, durationMs]), fields === '' ? [[405, 2500.25], [400, 0]] : [[405, 2500.25]]);
    });
  }
});

test('content that is too large and then malformed, in one packet, is refused once', async (t) => {
  const { port, records, refusals } = await startService(t, { observed: true });
  await exchange(port, `GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n${'x'.repeat(0x8000)}\r\n8001\r\n${'x'.repeat(0x8001)}zz`);
  assert.deepEqual([records.map(({ status }) => status), refusals], [[413], [413]]);
});
