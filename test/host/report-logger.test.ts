import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createReportLogger } from '../../src/host/report-logger.ts';

const refused = 'Requests or connections were refused in the last minute.';
const left = 'Clients ended connections early in the last minute.';
const closed = 'Connections were closed in the last minute, because there were too many of them.';
const busy = { eventLoopUtilization: 1 }; // a test that does not wait

test('what any client can cause is at most a line a minute for each kind, or logged at once at the end', async (t) => {
  await nextIteration(); // the event loop has begun
  t.mock.timers.enable({ apis: ['setInterval'] });
  const logged: unknown[][] = [];
  const loads = [{ handlers: 5 }, undefined];
  const reports = createReportLogger((...line) => logged.push(line), () => loads.shift());
  const ofRequests = ['hostMissing', 'HPE_INVALID_METHOD', 'HPE_INVALID_EOF_STATE', 'hostMissing', 'handlerTooSlow'];
  const ofConnections = ['tlsFailed', 'tlsOverhead', 'proxyHeaderIllegal', 'replyNotTaken'];
  for (const reason of [...ofRequests, ...ofConnections]) reports.endedEarly(reason);
  for (const status of [404, 200, undefined, 200]) reports.requestOver(status);
  t.mock.timers.tick(59_999);
  for (const connections of [8, 7]) reports.dropped('newRefused', 'a', connections);
  reports.acceptFailed(Object.assign(new Error('boom'), { code: 'ENOBUFS' }));
  reports.acceptFailed(new Error('boom'));
  assert.deepEqual(logged, []);
  const others = { tlsOverhead: 1, proxyHeaderIllegal: 1 };
  t.mock.timers.tick(1);
  assert.deepEqual(logged.splice(0), [
    ['info', 'Requests in the last minute.', { byStatus: { 200: 2, 404: 1, noReply: 1 }, handlers: 5, ...busy }],
    ['info', left, { byReason: { HPE_INVALID_EOF_STATE: 1, tlsFailed: 1, replyNotTaken: 1 } }],
    ['warn', refused, { byReason: { hostMissing: 2, HPE_INVALID_METHOD: 1, handlerTooSlow: 1, ...others } }],
    ['warn', closed, { byReason: { newRefused: 2 }, largest: { client: 'a', connections: 7 } }],
    ['warn', 'Connections could not be accepted in the last minute.', { byCode: { ENOBUFS: 1, boom: 1 } }],
  ]);
  reports.dropped('idleClosed', 'b', 9);
  reports.requestOver(200);
  reports.summarize();
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged, [
    ['info', 'Requests in the last minute.', { byStatus: { 200: 1 }, ...busy }],
    ['warn', closed, { byReason: { idleClosed: 1 }, largest: { client: 'b', connections: 9 } }],
  ]);
});

test('errors and finished requests are a line each, whose path is cut at 1,024 characters', () => {
  const logged: unknown[][] = [];
  const reports = createReportLogger((...line) => logged.push(line), () => undefined);
  const longest = 'x'.repeat(1_024);
  reports.requestFailed('boom', { traceId: '00-1', path: longest.repeat(2) });
  for (const path of [undefined, longest, `${longest}"`, longest.repeat(16)]) reports.finished({ path, status: 404 });
  assert.deepEqual(logged, [
    ['error', 'Unhandled exception occurred while processing the request.', {
      traceId: '00-1', path: `${longest}…`, error: 'boom',
    }],
    ...[undefined, longest, `${longest}…`, `${longest}…`].map((path) => ['info', 'Request', { path, status: 404 }]),
  ]);
});
