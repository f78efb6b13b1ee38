import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceparent } from '../../src/http/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const IDS = `${TRACE}-${PARENT}`;
const CLIENTS = `00-${IDS}`;

test('a valid traceparent hands down its trace, and of its flags the lowest bit; the parent id is new', () => {
  for (const [valid, sampled] of [
    [`${CLIENTS}-00`, 0], [`${CLIENTS}-01`, 1], [`${CLIENTS}-fe`, 0], [`${CLIENTS}-ff`, 1],
    [`01-${IDS}-01`, 1], [`fe-${IDS}-01-`, 1], [`cc-${IDS}-01-what.the/future=has`, 1],
  ] as const) {
    const given = childTraceparent(valid);
    assert.match(given, new RegExp(`^00-${TRACE}-(?!${PARENT}|0{16})[0-9a-f]{16}-0${sampled}$`), valid);
    assert.notEqual(given, childTraceparent(valid));
  }
});

test('anything else begins a new trace, which is not sampled', () => {
  const inNewTrace = new RegExp(`^00-(?!0{32}|${TRACE})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$`);
  for (const invalid of [
    undefined, '', CLIENTS, ` ${CLIENTS}-01`, `${CLIENTS}-01 `, `${CLIENTS}-01-`, `${CLIENTS}-01-a`, // length
    `${CLIENTS}-1`, `${CLIENTS}-0g`, `${CLIENTS}-0A`, // flags
    `ff-${IDS}-01`, `0-${IDS}-01`, `FE-${IDS}-01`, `fe-${IDS}-01a`, // versions
    `00-${'0'.repeat(32)}-${PARENT}-01`, `00-${TRACE.toUpperCase()}-${PARENT}-01`, `00-${IDS.slice(1)}-01`, // trace ids
    `00-${TRACE}-${'0'.repeat(16)}-01`, `00-${TRACE}-${PARENT.toUpperCase()}-01`, `00-${IDS}0-01`, // parent ids
    `${CLIENTS}-01, ${CLIENTS}-01`, `fe-${IDS}-01-a, fe-${IDS}-01`, // two field lines
  ]) assert.match(childTraceparent(invalid), inNewTrace, String(invalid));
});

test('ids are drawn without the global of Web Cryptography, which a flag of Node 20 and 22 takes away', (t) => {
  t.mock.getter(globalThis, 'crypto', () => undefined);
  assert.match(childTraceparent(undefined), /^00-/);
});
