import assert from 'node:assert/strict';
import test from 'node:test';
import { judgeWaits } from './beside.ts';
import { judge, TOLERANCE, type Verdict } from './bounds.ts';
import { CROWDS } from './crowds.ts';
import { ALL, type HonestKind } from './honest.ts';

const tooHigh = (verdicts: readonly Verdict[]) =>
  verdicts.filter(({ isTooHigh }) => isTooHigh).map(({ figure, measured }) => `${figure} ${measured}`);

test('A figure is too high when it is above its bound by more than the tolerance, rounded to 0.01, or has not been measured', () => {
  const judged = (start: number, tolerance: number) =>
    tooHigh(judge(new Map([['start', start], ['failed', 1]]), new Map([['start', 0.8]]), 'of ', tolerance));
  assert.deepEqual(judged(0.904, TOLERANCE), []);
  assert.deepEqual(judged(0.906, TOLERANCE), ['of start 0.906']);
  assert.deepEqual(judged(0.804, 0), []);
  assert.deepEqual(judged(0.806, 0), ['of start 0.806']);
  assert.deepEqual(judged(Number.NaN, 0), ['of start NaN']);
});

/** What is too high during a crowd when all waits are 1 ms, except those of kinds for which `isSlow`: they are 1,000 ms. */
function tooHighBeside(name: string, isSlow: (kind: HonestKind) => boolean, peak = 100): string[] {
  const crowd = CROWDS.get(name);
  assert.ok(crowd !== undefined);
  const waits = ALL.kinds.map((kind) => {
    const ms = isSlow(kind) ? 1_000 : 1;
    return { kind, requests: 30, failed: ms === 1 ? 0 : 2, median: ms, worst: ms };
  });
  return tooHigh(judgeWaits(name, crowd, waits, peak));
}

test('One kind of client that waits too long is enough, and counts for its own bounds alone; the memory always counts', () => {
  const isSlow = ({ address, way, request }: HonestKind) => address === 'other' && way === 'TLS' && request === '64 KiB content';
  assert.deepEqual(tooHighBeside('short requests', () => false), []);
  const ofShort = ['failed 2', 'median ms 1000', 'worst ms 1000'].map((figure) => `short requests, other: ${figure}`);
  assert.deepEqual(tooHighBeside('short requests', isSlow), ofShort);
  const ofHeads = ['failed 2', 'median ms 1000'].map((figure) => `addresses, heads, other, 64 KiB content: ${figure}`);
  assert.deepEqual(tooHighBeside('addresses, heads', isSlow), ofHeads);
  assert.deepEqual(tooHighBeside('memory', isSlow, 257), ['memory: peak MiB 257']);
});
