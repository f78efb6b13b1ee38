// The tables of limits in README.md and of refusals in SECURITY.md say what the code does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SIZE_LIMITS, TIME_LIMITS } from '../../src/http/limits.ts';
import { REFUSALS } from '../../src/http/refusals.ts';

/** The cells of the rows of a file's tables whose first cell matches. */
function rows(file: string, first: RegExp): string[][] {
  const lines = readFileSync(new URL(file, new URL(import.meta.resolve('#package'))), 'utf8').split('\n');
  const cells = lines.filter((line) => line.startsWith('| ')).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
  return cells.filter(([cell = '']) => first.test(cell));
}

test('the limits are those of the README; the others are not for users', () => {
  const seconds = (ms: number) => `${ms / 1000} s`;
  const kib = (bytes: number) => `${bytes / 1024} KiB`;
  const ofLimits = /^(?:time |the request line|the head|field lines|content|one chunk|all chunk)/;
  assert.deepEqual(rows('README.md', ofLimits).map(([, ...said]) => said), [
    [seconds(TIME_LIMITS.headMs), '408'],
    [seconds(TIME_LIMITS.requestMs), '408'],
    [seconds(TIME_LIMITS.headMs), 'closed'], // the handshake
    [seconds(TIME_LIMITS.unreadMs), 'closed'],
    [seconds(TIME_LIMITS.lingerMs), 'closed'],
    [`less than ${kib(SIZE_LIMITS.headBytes)}`, '414'],
    [`less than ${kib(SIZE_LIMITS.headBytes)}`, '431'],
    [String(SIZE_LIMITS.fieldLines), '431'],
    [kib(SIZE_LIMITS.contentBytes), '413'],
    [kib(SIZE_LIMITS.chunkLineBytes), '400'],
    [kib(SIZE_LIMITS.framingBytes), '400, or 431 for trailers'],
  ]);
  assert.deepEqual([TIME_LIMITS.discardMs, TIME_LIMITS.closeIdleMs, TIME_LIMITS.sweepMs], [1, 250, 1_000]);
});

test('the refusals are those of SECURITY.md, and each says which section asks for it, and what it prevents', () => {
  const said = rows('SECURITY.md', /^`\w+`$/).map(([reason, , status]) => `${reason?.slice(1, -1)} ${status}`);
  assert.deepEqual(said, Object.entries(REFUSALS).map(([reason, { status }]) => `${reason} ${status}`));
  for (const [reason, { section, prevents }] of Object.entries(REFUSALS)) {
    assert.match(section, /^(?:ours|RFC (?:6585|911[02]) \d+(?:\.\d+)*)$/, reason);
    assert.match(prevents, /^\w+ \w+/, reason);
  }
});
