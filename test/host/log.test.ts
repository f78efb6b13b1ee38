import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createLog } from '../../src/host/log.ts';

test('a log line is one JSON object: time, level, message, then the other fields, of which an error may be any value', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  log('warn', 'two\nlines', { value: '"\u2028', nothing: undefined });
  const [, time = ''] = /^\{"time":"(.*?)"/.exec(lines[0] ?? '') ?? [];
  assert.equal(new Date(time).toISOString(), time);
  assert.equal(lines[0], `{"time":"${time}","level":"warn","message":"two\\nlines","value":"\\"\u2028"}\n`);

  const error = new TypeError('outer', { cause: new RangeError('inner', { cause: { code: 7 } }) });
  for (const [thrown, expected] of [
    [undefined, { thrown: 'undefined' }],
    ['text', { thrown: "'text'" }],
    [1n, { thrown: '1n' }],
    [Object.create(null), { thrown: '[Object: null prototype] {}' }],
    [Object.assign(new Error(), { message: 1n }), { name: 'Error', message: '1' }],
    [{ get [inspect.custom](): never { throw new Error('No.'); } }, { thrown: 'A value that cannot be described.' }],
    [error, { name: 'TypeError', message: 'outer' }],
  ] as const) {
    log('error', 'It failed.', { error: thrown });
    const { error: { stack, ...described } } = JSON.parse(lines.at(-1) ?? '');
    assert.deepEqual(described, expected);
    assert.equal(stack, thrown instanceof Error ? inspect(thrown) : undefined);
  }
  assert.match(inspect(error), /^TypeError: outer\n +at .*RangeError: inner\n.*code: 7/s, 'what node says of an error');
});
