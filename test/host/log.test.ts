import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, logUnhandled, summarizeRefusals } from '../../src/host/log.ts';

/** What a line in the log says of something thrown. */
function describe(error: unknown) {
  const lines: string[] = [];
  createLog((line) => lines.push(line))('error', 'It failed.', { traceId: '00-trace', error });
  const { time, ...fields } = JSON.parse(lines.join(''));
  assert.deepEqual({ ...fields, error: 0 }, { level: 'error', message: 'It failed.', traceId: '00-trace', error: 0 });
  return fields.error;
}

test('a log line is one JSON object: time, level, message, then the fields', () => {
  const lines: string[] = [];
  createLog((line) => lines.push(line))('warn', 'two\nlines', { value: '"\u2028', nothing: undefined });
  assert.equal(lines.length, 1);
  const time = /^\{"time":"(.*?)"/.exec(lines[0] ?? '')?.[1] ?? '';
  assert.equal(new Date(time).toISOString(), time);
  assert.equal(lines[0], `{"time":"${time}","level":"warn","message":"two\\nlines","value":"\\"\u2028"}\n`);
});

test('an error is described with its name, message, stack and causes', () => {
  const cause = new RangeError('inner');
  const error = new TypeError('outer', { cause });
  assert.deepEqual(describe(error), {
    name: 'TypeError', message: 'outer', stack: error.stack,
    cause: { name: 'RangeError', message: 'inner', stack: cause.stack },
  });
});

test('a cause that is no error is described as text', () => {
  const error = new Error('outer', { cause: { code: 7 } });
  assert.deepEqual(describe(error).cause, { thrown: '{ code: 7 }' });
});

test('an error that is its own cause is described all the same', () => {
  const error = new Error('circle');
  error.cause = error;
  assert.equal(JSON.stringify(describe(error)).match(/"circle"/g)?.length, 9);
});

test('whatever else is thrown is described as text', () => {
  for (const [thrown, text] of [[undefined, 'undefined'], [null, 'null'], ['text', "'text'"], [1n, '1n'], [Object.create(null), '[Object: null prototype] {}'], [Symbol('s'), 'Symbol(s)']] as const) {
    assert.deepEqual(describe(thrown), { thrown: text });
  }
});

test('what was thrown while a request was served is one line at level error, with its trace id', () => {
  const logged: unknown[] = [];
  const error = new Error('boom');
  logUnhandled((...line) => logged.push(line))(error, '00-trace');
  assert.deepEqual(logged, [
    ['error', 'Unhandled exception occurred while processing the request.', { traceId: '00-trace', error }],
  ]);
});

test('refusals are told of in one line a minute, by status, and only when there were any', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const logged: unknown[] = [];
  const report = summarizeRefusals((...line) => logged.push(line));
  t.mock.timers.tick(600_000);
  assert.deepEqual(logged, []);
  for (const status of [400, 431, 400]) report(status);
  t.mock.timers.tick(59_999);
  report(400);
  assert.deepEqual(logged, []);
  t.mock.timers.tick(1);
  const message = 'Illegal requests were refused in the last minute.';
  assert.deepEqual(logged, [['warn', message, { byStatus: { 400: 3, 431: 1 } }]]);
  t.mock.timers.tick(600_000);
  assert.equal(logged.length, 1);
  report(505);
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged[1], ['warn', message, { byStatus: { 505: 1 } }]);
});
