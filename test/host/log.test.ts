import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/host/log.ts';

test('a log line is one JSON object: time, level, message, then the other fields, of which an error may be any value', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  log('warn', 'two\nlines', { value: '"\u2028', nothing: undefined });
  const [, time = ''] = /^\{"time":"(.*?)"/.exec(lines[0] ?? '') ?? [];
  assert.equal(new Date(time).toISOString(), time);
  assert.equal(lines[0], `{"time":"${time}","level":"warn","message":"two\\nlines","value":"\\"\u2028"}\n`);

  const inner = new RangeError('inner', { cause: { code: 7 } });
  const outer = new TypeError('outer', { cause: inner });
  const circle = new Error('circle');
  circle.cause = circle;
  const described = (count: number): unknown =>
    ({ name: 'Error', message: 'circle', stack: circle.stack, ...(count > 0 && { cause: described(count - 1) }) });
  for (const [error, expected] of [
    [undefined, { thrown: 'undefined' }],
    ['text', { thrown: "'text'" }],
    [1n, { thrown: '1n' }],
    [Object.create(null), { thrown: '[Object: null prototype] {}' }],
    [outer, {
      name: 'TypeError', message: 'outer', stack: outer.stack,
      cause: { name: 'RangeError', message: 'inner', stack: inner.stack, cause: { thrown: '{ code: 7 }' } },
    }],
    [circle, described(8)],
  ] as const) {
    log('error', 'It failed.', { error });
    assert.deepEqual(JSON.parse(lines.at(-1) ?? '').error, expected);
  }
});
