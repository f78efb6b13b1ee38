import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReportLogger } from '../../src/host/report-logger.ts';

const refused = 'Requests were refused, or connections ended early, in the last minute.';
const closed = 'Connections were closed in the last minute, because there were too many of them.';

test('what any client can cause is at most one line a minute for each kind, or is logged at once at the end', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const logged: unknown[][] = [];
  const reports = createReportLogger((...line) => logged.push(line));
  for (const reason of ['hostMissing', 'HPE_INVALID_METHOD', 'hostMissing']) reports.refused(reason);
  reports.ended('tlsFailed');
  t.mock.timers.tick(59_999);
  reports.dropped('newRefused');
  reports.acceptFailed(Object.assign(new Error('boom'), { code: 'ENOBUFS' }));
  reports.acceptFailed(new Error('boom'));
  assert.deepEqual(logged, []);
  t.mock.timers.tick(1);
  assert.deepEqual(logged.splice(0), [
    ['warn', refused, { byReason: { hostMissing: 2, HPE_INVALID_METHOD: 1, tlsFailed: 1 } }],
    ['warn', closed, { byReason: { newRefused: 1 } }],
    ['warn', 'Connections could not be accepted in the last minute.', { byCode: { ENOBUFS: 1, boom: 1 } }],
  ]);
  reports.refused('targetForm');
  reports.summarize();
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged, [['warn', refused, { byReason: { targetForm: 1 } }]]);
});

test('errors and finished requests are a line each; a path is cut at 1,024 characters, and marked then', () => {
  const logged: unknown[][] = [];
  const reports = createReportLogger((...line) => logged.push(line));
  const longest = 'x'.repeat(1_024);
  reports.failed('boom', { traceId: '00-1', path: longest.repeat(2) });
  for (const path of [undefined, longest, `${longest}"`, longest.repeat(16)]) reports.finished({ path, status: 404 });
  assert.deepEqual(logged, [
    ['error', 'Unhandled exception occurred while processing the request.', {
      traceId: '00-1', path: `${longest}…`, error: 'boom',
    }],
    ...[undefined, longest, `${longest}…`, `${longest}…`].map((path) => ['info', 'Request', { path, status: 404 }]),
  ]);
});
