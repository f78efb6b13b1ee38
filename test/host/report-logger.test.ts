// Errors and finished requests, of which each is one line, are in main.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReportLogger } from '../../src/host/report-logger.ts';

const refused = 'Requests were refused, or connections ended early, in the last minute.';
const closed = 'Connections were closed in the last minute, because there were too many of them.';
const notAccepted = 'Connections could not be accepted in the last minute.';
const noDescriptor = 'In some seconds of the last minute, no file descriptor was left for new connections.';

test('events that any client can cause are at most one line a minute for each kind of event, or are logged at once at the end', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const logged: unknown[][] = [];
  const reports = createReportLogger((...line) => logged.push(line));
  for (const reason of ['hostMissing', 'headTooLong', 'hostMissing']) reports.refused(reason);
  reports.ended('tlsFailed');
  t.mock.timers.tick(59_999);
  reports.dropped('newRefused');
  for (const error of [Object.assign(new Error('accept'), { code: 'ENOBUFS' }), new Error('boom')]) reports.acceptFailed(error);
  for (const code of ['EMFILE', 'EMFILE']) reports.descriptorLacking(code);
  assert.deepEqual(logged, []);
  t.mock.timers.tick(1);
  assert.deepEqual(logged.splice(0), [
    ['warn', refused, { byReason: { hostMissing: 2, headTooLong: 1, tlsFailed: 1 } }],
    ['warn', notAccepted, { byCode: { ENOBUFS: 1, boom: 1 } }],
    ['warn', closed, { byReason: { newRefused: 1 } }],
    ['warn', noDescriptor, { secondsByCode: { EMFILE: 2 } }],
  ]);
  reports.refused('lineEnd');
  reports.summarize();
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged, [['warn', refused, { byReason: { lineEnd: 1 } }]]);
});
