import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/host/log.ts';

/** The field `error` of the log line for a thrown value. */
function describe(error: unknown) {
  const lines: string[] = [];
  createLog((line) => lines.push(line))('error', 'It failed.', { traceId: '00-trace', error });
  const { time, ...fields } = JSON.parse(lines.join(''));
  assert.deepEqual({ ...fields, error: 0 }, { level: 'error', message: 'It failed.', traceId: '00-trace', error: 0 });
  return fields.error;
}

test('a log line is one JSON object: time, level, message, then the other fields', () => {
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

test('a cause that is not an Error is described as text', () => {
  const error = new Error('outer', { cause: { code: 7 } });
  assert.deepEqual(describe(error).cause, { thrown: '{ code: 7 }' });
});

test('an error that is its own cause is described up to eight causes deep', () => {
  const error = new Error('circle');
  error.cause = error;
  assert.equal(JSON.stringify(describe(error)).match(/"circle"/g)?.length, 9);
});

test('a thrown value that is not an Error is described as text', () => {
  for (const [thrown, text] of [[undefined, 'undefined'], [null, 'null'], ['text', "'text'"], [1n, '1n'], [Object.create(null), '[Object: null prototype] {}'], [Symbol('s'), 'Symbol(s)']] as const) {
    assert.deepEqual(describe(thrown), { thrown: text });
  }
});
