import assert from 'node:assert/strict';
import test from 'node:test';
import { judge, TOLERANCE } from './bounds.ts';

const BOUNDS = new Map([['start', 0.8], ['memory', 1.4]]);

function tooHigh(start: number, memory: number): string[] {
  const verdicts = judge(new Map([['start', start], ['memory', memory]]), BOUNDS, TOLERANCE);
  return verdicts.filter(({ isTooHigh }) => isTooHigh).map(({ figure }) => figure);
}

test('A figure of the comparison is too high when it is more than 0.10 above its bound, rounded to 0.01', () => {
  assert.deepEqual(tooHigh(0.8, 1.4), []);
  assert.deepEqual(tooHigh(0.904, 1.504), []);
  assert.deepEqual(tooHigh(0.906, 1.5), ['start']);
  assert.deepEqual(tooHigh(0.9, 1.506), ['memory']);
  assert.deepEqual(tooHigh(0.91, 1.51), ['start', 'memory']);
});

test('A figure that has not been measured is too high', () => {
  assert.deepEqual(tooHigh(Number.NaN, 1), ['start']);
  assert.deepEqual(judge(new Map([['start', 0.7]]), BOUNDS), [
    { figure: 'start', measured: 0.7, bound: 0.8, isTooHigh: false },
    { figure: 'memory', measured: Number.NaN, bound: 1.4, isTooHigh: true },
  ]);
});

test('Without a tolerance a figure is too high as soon as it is above its bound, and only figures with a bound are judged', () => {
  const figures = new Map([['failed', 1], ['median ms', 15.004], ['worst ms', 250.006], ['peak MiB', 400]]);
  const bounds = new Map([['failed', 0], ['median ms', 15], ['worst ms', 250]]);
  assert.deepEqual(judge(figures, bounds, 0, 'TLS: ').map(({ figure, isTooHigh }) => [figure, isTooHigh]), [
    ['TLS: failed', true], ['TLS: median ms', false], ['TLS: worst ms', true],
  ]);
});
