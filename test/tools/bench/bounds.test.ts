import assert from 'node:assert/strict';
import test from 'node:test';
import { judge, TOLERANCE } from './bounds.ts';

const BOUNDS = new Map([['start', 0.8], ['memory', 1.4]]);
const tooHigh = (start: number, memory: number, tolerance: number) =>
  judge(new Map([['start', start], ['memory', memory], ['failed', 1]]), BOUNDS, tolerance, 'of ')
    .filter(({ isTooHigh }) => isTooHigh).map(({ figure }) => figure);

test('A figure is too high when it is above its bound by more than the tolerance, rounded to 0.01, or has not been measured', () => {
  assert.deepEqual(tooHigh(0.8, 1.4, TOLERANCE), []);
  assert.deepEqual(tooHigh(0.904, 1.504, TOLERANCE), []);
  assert.deepEqual(tooHigh(0.906, 1.5, TOLERANCE), ['of start']);
  assert.deepEqual(tooHigh(0.9, 1.506, TOLERANCE), ['of memory']);
  assert.deepEqual(tooHigh(0.804, 1.406, 0), ['of memory']);
  assert.deepEqual(tooHigh(Number.NaN, 1, 0), ['of start']);
  assert.deepEqual(judge(new Map([['start', 0.7]]), BOUNDS), [
    { figure: 'start', measured: 0.7, bound: 0.8, isTooHigh: false },
    { figure: 'memory', measured: Number.NaN, bound: 1.4, isTooHigh: true },
  ]);
});
