import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createReportLogger } from '../../src/host/report-logger.ts';

function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const logged: unknown[][] = [];
  return { logged, reports: createReportLogger((...line) => logged.push(line)) };
}

const refused = 'Requests were refused, or connections ended early, in the last minute.';
const closed = 'Connections were closed in the last minute, because there were too many of them.';
const notAccepted = 'Connections could not be accepted in the last minute.';

test('an error is one line, with the trace id; a finished request is one line in the access log, if there is one', (t) => {
  const { logged, reports } = setUp(t);
  const error = new Error('boom');
  reports.failed(error, '00-trace');
  assert.deepEqual(logged, [['error', 'Unhandled exception occurred while processing the request.', { traceId: '00-trace', error }]]);
  assert.equal(reports.finished, undefined);
  const lines: unknown[][] = [];
  const { finished } = createReportLogger(() => assert.fail('this is not for the log'), (...line) => lines.push(line));
  finished?.({ status: 200 });
  assert.deepEqual(lines, [['info', 'Request', { status: 200 }]]);
});

test('events that any client can cause are at most one line a minute for each kind of event', (t) => {
  const { logged, reports } = setUp(t);
  for (const status of [400, 431, 400]) reports.refused(status);
  reports.ended('tlsFailed');
  t.mock.timers.tick(59_999);
  reports.dropped('newRefused');
  for (const error of [Object.assign(new Error('accept'), { code: 'EMFILE' }), new Error('boom')]) reports.acceptFailed(error);
  assert.deepEqual(logged, []);
  t.mock.timers.tick(1);
  assert.deepEqual(logged.splice(0), [
    ['warn', refused, { byReason: { 400: 2, 431: 1, tlsFailed: 1 } }],
    ['warn', closed, { byReason: { newRefused: 1 } }],
    ['warn', notAccepted, { byCode: { EMFILE: 1, boom: 1 } }],
  ]);
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged, []);
  reports.refused(505);
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged, [['warn', refused, { byReason: { 505: 1 } }]]);
});

test('what has been counted can be logged at once, and only once', (t) => {
  const { logged, reports } = setUp(t);
  for (const reason of ['idleClosed', 'idleClosed'] as const) reports.dropped(reason);
  for (let i = 0; i < 2; i++) reports.summarize();
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged, [['warn', closed, { byReason: { idleClosed: 2 } }]]);
});
