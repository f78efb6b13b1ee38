import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceparentOf } from '../../src/http/messages.ts';
import { hostCheck } from '../../src/http/request-target.ts';
import { finishedRequest } from '../../src/server/interface.ts';
import { requestBytes } from '../support/exchange.ts';
import { readToEnd, send, startServer, statusesIn, type Pair } from '../support/server.ts';

const limit = { timeout: 60_000 };

test('a finished request is reported with the time since its head to the microsecond', (t) => {
  t.mock.method(performance, 'now', () => 2234.5674);
  const asked = { method: 'GET', path: '/a' }, request = { ...asked, parent: undefined };
  const finished = finishedRequest({ request, startedAt: 1000, status: 204, reason: undefined }, '::ffff:192.0.2.1', false);
  const known = { ...asked, traceId: traceparentOf(request), remoteAddress: '192.0.2.1' };
  assert.deepEqual(finished, { ...known, status: 204, reason: undefined, durationMs: 1234.567, aborted: undefined });
});

test('each request has one record, without its query, with the id that its handler and the report of its error have', limit, async (t) => {
  const ids: unknown[] = [];
  const { open, records } = await startServer(t, {
    handler: (request) => {
      ids.push(traceparentOf(request));
      throw new Error('It failed.');
    },
    reports: { failed: (_, traceId) => ids.push(traceId) },
  });
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const { client } = await open();
  client.write(requestBytes('POST', '/a?name=Ada', [`traceparent: ${parent}`]) + requestBytes('GET', '/'));
  assert.deepEqual(statusesIn(await readToEnd(client)), [500, 500]);
  const [{ durationMs, traceId, ...record } = { durationMs: -1, traceId: undefined }, other] = records;
  assert.deepEqual(record, { method: 'POST', path: '/a', status: 500, reason: undefined, remoteAddress: '127.0.0.1', aborted: undefined });
  assert.deepEqual(ids, [traceId, traceId, other?.traceId, other?.traceId]);
  assert.equal(traceId?.slice(0, 36), parent.slice(0, 36));
  assert.ok(durationMs >= 0 && durationMs < 60_000);
});

test('a request that is refused has a record with the reason, also when it is late or cut short', limit, async (t) => {
  const { open, pass, records, refusals } = await startServer(t, { refuseHost: hostCheck(['a']) });
  const chunked = 'GET /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const [bytes, end, ...record] of [
    ['GET /b?name=Ada HTTP/1.1\r\nHost: other\r\n\r\n', undefined, 'GET', '/b', 421, 'hostNotAllowed'],
    ['noise\r\n\r\n', undefined, undefined, undefined, 400, 'requestLineForm'],
    ['G', () => pass(12), undefined, undefined, 408, 'headTooSlow'],
    [`${chunked}1`, () => pass(17), 'GET', '/b', 408, 'requestTooSlow'],
    [`${chunked}1`, ({ client }: Pair) => client.end(), 'GET', '/b', 400, 'cutShort'],
  ] as const) {
    const pair = await open();
    await send(pair, bytes);
    end?.(pair);
    assert.deepEqual(statusesIn(await readToEnd(pair.client)), [record[2]]);
    const said = records.splice(0).map(({ method, path, status, reason }) => [method, path, status, reason]);
    assert.deepEqual([said, refusals.splice(0)], [[record], [record[3]]]);
  }
});
