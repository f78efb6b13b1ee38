import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { logLine } from '../../src/host/log.ts';

test('a log line is one JSON object: time, level, message, then the other fields, if there are any', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const start = '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"two\\nlines"';
  assert.equal(logLine('warn', 'two\nlines'), `${start}}\n`);
  const fields = { value: '"\u2028', nothing: undefined };
  assert.equal(logLine('warn', 'two\nlines', fields), `${start},"value":"\\"\u2028"}\n`);
  t.mock.timers.tick(1);
  assert.match(logLine('warn', 'later'), /^{"time":"1970-01-01T00:00:00.001Z"/);
});

test('the field `error` may be any value: an error has its stack and its causes', () => {
  const nested = new TypeError('outer', { cause: new RangeError('inner', { cause: { code: 7 } }) });
  for (const [thrown, expected] of [
    [undefined, { thrown: 'undefined' }], ['text', { thrown: "'text'" }],
    [{ get [inspect.custom](): never { throw new Error('No.'); } }, { thrown: 'A value that cannot be described.' }],
    [Object.assign(new Error(), { message: 1n }), { name: 'Error', message: '1' }],
    [nested, { name: 'TypeError', message: 'outer' }],
  ] as const) {
    const { error: { stack, ...described } } = JSON.parse(logLine('error', 'It failed.', { error: thrown }));
    assert.deepEqual(described, expected);
    assert.equal(stack, thrown instanceof Error ? inspect(thrown) : undefined);
  }
});
