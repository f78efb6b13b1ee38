import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReportLogger } from '../../src/host/report-logger.ts';

function setUp() {
  const logged: unknown[][] = [];
  return { logged, reports: createReportLogger((...line) => logged.push(line)) };
}

const refused = 'Requests were refused, or connections ended early, in the last minute.';
const closed = 'Connections were closed in the last minute, because there were too many of them.';
const notAccepted = 'Connections could not be accepted in the last minute.';

test('an error thrown while a request is answered is one line at level error, with the trace id', () => {
  const { logged, reports } = setUp();
  const error = new Error('boom');
  reports.failed(error, '00-trace');
  assert.deepEqual(logged, [['error', 'Unhandled exception occurred while processing the request.', { traceId: '00-trace', error }]]);
});

test('a finished request is one line in the access log, if there is an access log', () => {
  const lines: unknown[][] = [];
  const { finished } = createReportLogger(() => assert.fail('this is not for the log'), (...line) => lines.push(line));
  finished?.({ status: 200 });
  assert.deepEqual(lines, [['info', 'Request', { status: 200 }]]);
  assert.equal(setUp().reports.finished, undefined);
});

test('events that any client can cause are one summary a minute for each kind of event, and no summary without events', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { logged, reports } = setUp();
  t.mock.timers.tick(600_000);
  assert.deepEqual(logged, []);

  for (const status of [400, 431, 400]) reports.refused(status);
  reports.ended('tlsFailed');
  t.mock.timers.tick(30_000);
  for (const reason of ['idleClosed', 'newRefused', 'idleClosed'] as const) reports.dropped(reason);
  for (const error of [Object.assign(new Error('accept'), { code: 'EMFILE' }), new Error('boom'), 7]) reports.acceptFailed(error);
  t.mock.timers.tick(29_999);
  reports.refused(400);
  assert.deepEqual(logged, []);
  t.mock.timers.tick(1);
  assert.deepEqual(logged.splice(0), [['warn', refused, { byReason: { 400: 3, 431: 1, tlsFailed: 1 } }]]);
  t.mock.timers.tick(30_000);
  assert.deepEqual(logged.splice(0), [
    ['warn', closed, { byReason: { idleClosed: 2, newRefused: 1 } }],
    ['warn', notAccepted, { byCode: { EMFILE: 1, 'Error: boom': 1, '7': 1 } }],
  ]);
  t.mock.timers.tick(600_000);
  assert.deepEqual(logged, []);
  reports.refused(505);
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged, [['warn', refused, { byReason: { 505: 1 } }]]);
});

test('summarize logs the counts before their minute is over, and they are logged only once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { logged, reports } = setUp();
  reports.refused(400);
  reports.summarize();
  reports.summarize();
  t.mock.timers.tick(30_000);
  reports.refused(408);
  t.mock.timers.tick(59_999);
  assert.deepEqual(logged.splice(0), [['warn', refused, { byReason: { 400: 1 } }]]);
  t.mock.timers.tick(1);
  assert.deepEqual(logged, [['warn', refused, { byReason: { 408: 1 } }]]);
});
