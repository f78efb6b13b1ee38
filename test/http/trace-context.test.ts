import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceparent } from '../../src/http/trace-context.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
const CHILD = /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7|0{16})[0-9a-f]{16}-0([01])$/;

test('the trace is handed down, and of each value of the flags only the lowest bit', () => {
  for (let value = 0; value < 256; value += 1) {
    const child = childTraceparent(`${PARENT}-${value.toString(16).padStart(2, '0')}`);
    assert.equal(CHILD.exec(child)?.[1], String(value % 2), child);
  }
});

test('ids are drawn anew', () => {
  const drawn = Array.from({ length: 1000 }, () => childTraceparent(undefined));
  for (const traceparent of drawn) assert.match(traceparent, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
  const parts = drawn.flatMap((traceparent) => [traceparent.slice(3, 19), traceparent.slice(36, 52)]);
  const spans = Array.from({ length: 1000 }, () => childTraceparent(`${PARENT}-01`).slice(36, 52));
  assert.deepEqual([new Set(parts).size, new Set(spans).size], [2000, 1000]);
});
