import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/host/log.ts';

/** The field `error` of the log line for a thrown value. */
function describe(error: unknown) {
  const lines: string[] = [];
  createLog((line) => lines.push(line))('error', 'It failed.', { traceId: '00-trace', error });
  return JSON.parse(lines.join('')).error;
}

test('a log line is one JSON object: time, level, message, then the other fields', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  log('warn', 'two\nlines', { value: '"\u2028', nothing: undefined });
  log('info', 'no fields');
  const [time = ''] = lines.map((line) => /^\{"time":"(.*?)"/.exec(line)?.[1]);
  assert.equal(new Date(time).toISOString(), time);
  assert.equal(lines[0], `{"time":"${time}","level":"warn","message":"two\\nlines","value":"\\"\u2028"}\n`);
  assert.match(lines[1] ?? '', /,"level":"info","message":"no fields"\}\n$/);
});

test('an error is described with its name, message, stack and causes, up to eight causes deep', () => {
  const cause = new RangeError('inner', { cause: { code: 7 } });
  const error = new TypeError('outer', { cause });
  assert.deepEqual(describe(error), {
    name: 'TypeError', message: 'outer', stack: error.stack,
    cause: { name: 'RangeError', message: 'inner', stack: cause.stack, cause: { thrown: '{ code: 7 }' } },
  });
  const circle = new Error('circle');
  circle.cause = circle;
  assert.equal(JSON.stringify(describe(circle)).match(/"circle"/g)?.length, 9);
});

test('a thrown value that is not an Error is described as text', () => {
  const values = [[undefined, 'undefined'], ['text', "'text'"], [1n, '1n'], [Object.create(null), '[Object: null prototype] {}']] as const;
  for (const [thrown, text] of values) assert.deepEqual(describe(thrown), { thrown: text });
});
