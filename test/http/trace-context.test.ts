import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceparent } from '../../src/http/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const ZEROS = '0'.repeat(32);
const IDS = `${TRACE}-${PARENT}`;
const CLIENTS = `00-${IDS}`;
const IN_TRACE = new RegExp(`^00-${TRACE}-(?!${PARENT}|0{16})[0-9a-f]{16}-0([01])$`);
const IN_NEW_TRACE = new RegExp(`^00-(?!0{32}|${TRACE})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$`);

test('a valid traceparent hands down its trace, and of its flags the lowest bit', () => {
  const flags = Array.from({ length: 256 }, (_, value) => `${CLIENTS}-${value.toString(16).padStart(2, '0')}`);
  for (const valid of [...flags, `01-${IDS}-01`, `fe-${IDS}-01-`, `cc-${IDS}-01-what.the/future=has`]) {
    const isSampled = Number.parseInt(valid.slice(53, 55), 16) % 2;
    assert.equal(IN_TRACE.exec(childTraceparent(valid))?.[1], String(isSampled), valid);
  }
});

test('anything else begins a new trace, which is not sampled; each id is new', () => {
  for (const invalid of [
    undefined, '', CLIENTS, ` ${CLIENTS}-01`, `${CLIENTS}-01 `, `${CLIENTS}-01-`, `${CLIENTS}-01-a`, // length
    `${CLIENTS}-1`, `${CLIENTS}-0g`, `${CLIENTS}-0A`, // flags
    `ff-${IDS}-01`, `0-${IDS}-01`, `FE-${IDS}-01`, `fe-${IDS}-01a`, // versions
    `00-${ZEROS}-${PARENT}-01`, `00-${TRACE.toUpperCase()}-${PARENT}-01`, `00-${IDS.slice(1)}-01`, // trace ids
    `00-${TRACE}-${ZEROS.slice(16)}-01`, `00-${TRACE}-${PARENT.toUpperCase()}-01`, `00-${IDS}0-01`, // parent ids
    `${CLIENTS}-01, ${CLIENTS}-01`, `fe-${IDS}-01-a, fe-${IDS}-01`, // two field lines
  ]) assert.match(childTraceparent(invalid), IN_NEW_TRACE, String(invalid));
  const drawn = Array.from({ length: 1000 }, () => childTraceparent(undefined));
  const halves = drawn.flatMap((each) => [each.slice(3, 19), each.slice(19, 35), each.slice(36, 52)]);
  assert.equal(new Set(halves).size, 3000, 'ids are drawn anew');
});
