import assert from 'node:assert/strict';
import test from 'node:test';
import { CROWD_LOADS } from './crowd-loads.ts';
import { judgeCrowd, waitsByKindTable, type CrowdOutcome } from './crowd-tables.ts';
import { HONEST_SETS, type HonestKind } from './honest-kinds.ts';

const kinds = HONEST_SETS.get('all')?.kinds ?? [];

/** Beside this crowd, all waits are 1 ms, and those of kinds for which `isSlow` are 1,000 ms. */
function outcome(name: string, isSlow: (kind: HonestKind) => boolean, peak = 100): CrowdOutcome {
  const load = CROWD_LOADS.get(name);
  assert.ok(load !== undefined);
  const waits = kinds.map((kind) => {
    const ms = isSlow(kind) ? 1_000 : 1;
    return { requests: 30, failed: ms === 1 ? 0 : 2, median: ms, p95: ms, worst: ms };
  });
  return { name, load, server: 'service', waits, rate: 1, peak, lives: true };
}

const tooHigh = (one: CrowdOutcome) =>
  judgeCrowd(one).filter(({ isTooHigh }) => isTooHigh).map(({ figure, measured }) => [figure, measured]);

test('One kind of client that waits too long is enough, and counts for its address alone', () => {
  assert.deepEqual(tooHigh(outcome('short requests', () => false)), []);
  const isSlow = ({ address, way, request }: HonestKind) =>
    address === 'other' && way === 'TLS, kept' && request === '64 KB content';
  assert.deepEqual(tooHigh(outcome('short requests', isSlow)), [
    ['short requests, other address: failed', 2],
    ['short requests, other address: median ms', 1_000],
    ['short requests, other address: worst ms', 1_000],
  ]);
});

test('Beside handshakes p95 has a bound and not the worst wait, and where the memory has one the waits have none', () => {
  const ofSame = ({ address, way }: HonestKind) => address === 'same' && way === 'TLS';
  assert.deepEqual(tooHigh(outcome('handshakes', ofSame)).map(([figure]) => figure), [
    'handshakes, same address: failed', 'handshakes, same address: median ms', 'handshakes, same address: p95 ms',
  ]);
  assert.deepEqual(tooHigh(outcome('memory', ofSame)), []);
  assert.deepEqual(tooHigh(outcome('memory', ofSame, 257)), [['memory: peak MiB', 257]]);
});

test('The table has a row for each address and request, with the median of each way to connect', () => {
  const rows = waitsByKindTable([outcome('TLS', ({ address, isKept }) => address === 'same' && isKept)]).trimEnd().split('\n');
  assert.deepEqual(rows.slice(1, 5).map((row) => row.split(/ {2,}/)), [
    ['TLS', 'service', 'same', 'short', '1.0', '1000.0', '1.0', '1000.0', '1000.0', '1000.0', '120', '4'],
    ['TLS', 'service', 'same', '10 KB head', '1.0', '1000.0', '1.0', '1000.0', '1000.0', '1000.0', '120', '4'],
    ['TLS', 'service', 'same', '64 KB content', '1.0', '1000.0', '1.0', '1000.0', '1000.0', '1000.0', '120', '4'],
    ['TLS', 'service', 'other', 'short', '1.0', '1.0', '1.0', '1.0', '1.0', '1.0', '120', '0'],
  ]);
  assert.equal(rows.length, 7);
});
