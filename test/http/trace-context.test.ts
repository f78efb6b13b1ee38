import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceparent } from '../../src/http/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736', SPAN = '00f067aa0ba902b7';
const LEGAL = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$/;

/** The flags of the child of this parent, which is in its trace. Which parents are legal is in grammar.test.ts. */
function flagsAfter(parent: string): string | undefined {
  const child = childTraceparent(parent);
  assert.match(child, LEGAL);
  const [, trace = '', span = '', flags] = child.split('-');
  assert.ok(!parent.includes(span));
  assert.equal(trace, TRACE);
  return flags;
}

test('the trace is handed down, and of each value of the flags only the lowest bit', () => {
  for (let value = 0; value < 256; value += 1) {
    const digits = value.toString(16).padStart(2, '0');
    assert.equal(flagsAfter(`00-${TRACE}-${SPAN}-${digits}`), `0${value % 2}`, digits);
  }
});

test('ids are drawn anew', () => {
  const drawn = Array.from({ length: 1000 }, () => childTraceparent(undefined));
  for (const traceparent of drawn) assert.match(traceparent, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
  const parts = drawn.flatMap((traceparent) => [traceparent.slice(3, 19), traceparent.slice(36, 52)]);
  const spans = Array.from({ length: 1000 }, () => childTraceparent(`00-${TRACE}-${SPAN}-01`).slice(36, 52));
  assert.deepEqual([new Set(parts).size, new Set(spans).size], [2000, 1000]);
});
