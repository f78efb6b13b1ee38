import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { logLine } from '../../src/host/log.ts';

test('a log line is one JSON object: time, level, message, then the other fields, if there are any', () => {
  const fields = { value: '"\u2028', nothing: undefined };
  for (const [given, rest] of [[fields, ',"value":"\\"\u2028"'], [undefined, '']] as const) {
    const line = logLine('warn', 'two\nlines', given);
    const time = String(JSON.parse(line).time);
    assert.equal(new Date(time).toISOString(), time);
    assert.equal(line, `{"time":"${time}","level":"warn","message":"two\\nlines"${rest}}\n`);
  }
});

test('the field `error` may be any value: an error has its stack and its causes', () => {
  const nested = new TypeError('outer', { cause: new RangeError('inner', { cause: { code: 7 } }) });
  for (const [thrown, expected] of [
    [undefined, { thrown: 'undefined' }],
    ['text', { thrown: "'text'" }],
    [Object.create(null), { thrown: '[Object: null prototype] {}' }],
    [Object.assign(new Error(), { message: 1n }), { name: 'Error', message: '1' }],
    [{ get [inspect.custom](): never { throw new Error('No.'); } }, { thrown: 'A value that cannot be described.' }],
    [nested, { name: 'TypeError', message: 'outer' }],
  ] as const) {
    const { error: { stack, ...described } } = JSON.parse(logLine('error', 'It failed.', { error: thrown }));
    assert.deepEqual(described, expected);
    assert.equal(stack, thrown instanceof Error ? inspect(thrown) : undefined);
  }
});
