import assert from 'node:assert/strict';
import test from 'node:test';
import { judgeWaits } from './beside.ts';
import { judge, TOLERANCE } from './bounds.ts';
import { CROWDS } from './crowds.ts';
import { ALL, type HonestKind } from './honest.ts';

const BOUNDS = new Map([['start', 0.8], ['memory', 1.4]]);
const tooHigh = (start: number, memory: number, tolerance: number) =>
  judge(new Map([['start', start], ['memory', memory], ['failed', 1]]), BOUNDS, tolerance, 'of ')
    .filter(({ isTooHigh }) => isTooHigh).map(({ figure }) => figure);

test('A figure is too high when it is above its bound by more than the tolerance, rounded to 0.01, or has not been measured', () => {
  assert.deepEqual(tooHigh(0.8, 1.4, TOLERANCE), []);
  assert.deepEqual(tooHigh(0.904, 1.504, TOLERANCE), []);
  assert.deepEqual(tooHigh(0.906, 1.5, TOLERANCE), ['of start']);
  assert.deepEqual(tooHigh(0.804, 1.406, 0), ['of memory']);
  assert.deepEqual(tooHigh(Number.NaN, 1, 0), ['of start']);
});

/** What is too high during a crowd when all waits are 1 ms, except those of kinds for which `isSlow`: they are 1,000 ms. */
function tooHighBeside(name: string, isSlow: (kind: HonestKind) => boolean, peak = 100): string[] {
  const crowd = CROWDS.get(name);
  assert.ok(crowd !== undefined);
  const waits = ALL.kinds.map((kind) => {
    const ms = isSlow(kind) ? 1_000 : 1;
    return { requests: 30, failed: ms === 1 ? 0 : 2, median: ms, p95: ms, worst: ms };
  });
  return judgeWaits({ name, crowd, waits, peak }).filter(({ isTooHigh }) => isTooHigh).map(({ figure, measured }) => `${figure} ${measured}`);
}

test('One kind of client that waits too long is enough, and counts for its own bounds alone; the memory always counts', () => {
  const isSlow = ({ address, way, request }: HonestKind) => address === 'other' && way === 'TLS, kept' && request === '64 KiB content';
  const ofSame = ({ address, way }: HonestKind) => address === 'same' && way === 'TLS';
  const expected = (about: string, ...figures: readonly string[]) => figures.map((figure) => `${about}: ${figure}`);
  assert.deepEqual(tooHighBeside('short requests', () => false), []);
  assert.deepEqual(tooHighBeside('short requests', isSlow), expected('short requests, other', 'failed 2', 'median ms 1000', 'worst ms 1000'));
  assert.deepEqual(tooHighBeside('addresses, heads', isSlow), expected('addresses, heads, other, 64 KiB content', 'failed 2', 'median ms 1000'));
  assert.deepEqual(tooHighBeside('handshakes', ofSame), expected('handshakes, same', 'failed 6', 'median ms 1000', 'p95 ms 1000'));
  assert.deepEqual(tooHighBeside('memory', ofSame, 257), ['memory: peak MiB 257']);
});
