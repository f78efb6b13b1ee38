import assert from 'node:assert/strict';
import test from 'node:test';
import { CROWDS } from './crowds.ts';
import { judgeCrowd, waitsByKindTable, type CrowdOutcome } from './crowd-tables.ts';
import { ALL, type HonestKind } from './honest.ts';

/** Beside this crowd, all waits are 1 ms, and those of kinds for which `isSlow` are 1,000 ms. */
function outcome(name: string, isSlow: (kind: HonestKind) => boolean, peak = 100): CrowdOutcome {
  const crowd = CROWDS.get(name);
  assert.ok(crowd !== undefined);
  const waits = ALL.kinds.map((kind) => {
    const ms = isSlow(kind) ? 1_000 : 1;
    return { requests: 30, failed: ms === 1 ? 0 : 2, median: ms, p95: ms, worst: ms };
  });
  return { name, crowd, server: 'service', waits, rate: 1, peak, lives: true };
}

const tooHigh = (...about: Parameters<typeof outcome>) =>
  judgeCrowd(outcome(...about)).filter(({ isTooHigh }) => isTooHigh).map(({ figure, measured }) => `${figure} ${measured}`);

test('One kind of client that waits too long is enough, and counts for its address alone', () => {
  const isSlow = ({ address, way, request }: HonestKind) => address === 'other' && way === 'TLS, kept' && request === '64 KB content';
  assert.deepEqual(tooHigh('short requests', () => false), []);
  assert.deepEqual(tooHigh('short requests', isSlow),
    ['failed 2', 'median ms 1000', 'worst ms 1000'].map((text) => `short requests, other address: ${text}`));
});

test('Beside handshakes p95 has a bound and not the worst wait, and where the memory has one the waits have none', () => {
  const ofSame = ({ address, way }: HonestKind) => address === 'same' && way === 'TLS';
  assert.deepEqual(tooHigh('handshakes', ofSame),
    ['failed 6', 'median ms 1000', 'p95 ms 1000'].map((text) => `handshakes, same address: ${text}`));
  assert.deepEqual(tooHigh('memory', ofSame), []);
  assert.deepEqual(tooHigh('memory', ofSame, 257), ['memory: peak MiB 257']);
});

test('The table has a row for each address and request, with the median of each way to connect', () => {
  const [, ...rows] = waitsByKindTable([outcome('TLS', ({ address, isKept }) => address === 'same' && isKept)]).trimEnd().split('\n');
  const row = (address: string, request: string, kept: string, failed: string) =>
    ['TLS', 'service', address, request, '1.0', kept, '1.0', kept, kept, kept, '120', failed];
  const all = ['short', '10 KB head', '64 KB content'];
  assert.deepEqual(rows.map((line) => line.split(/ {2,}/)),
    [...all.map((request) => row('same', request, '1000.0', '4')), ...all.map((request) => row('other', request, '1.0', '0'))]);
});
