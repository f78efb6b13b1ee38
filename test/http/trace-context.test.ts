import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceparent } from '../../src/http/trace-context.ts';
import { CHARACTERS } from '../support/characters.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736', SPAN = '00f067aa0ba902b7';
const LEGAL = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$/;

/** The flags of the child of this parent, in its trace; or undefined when the child is in a new trace, which is not sampled. */
function flagsAfter(parent: string): string | undefined {
  const child = childTraceparent(parent);
  assert.match(child, LEGAL);
  const [, trace = '', span = '', flags] = child.split('-');
  assert.ok(!parent.includes(span));
  if (parent.includes(trace)) return flags;
  assert.equal(flags, '00');
  return undefined;
}

test('each version except ff hands down its trace, and of each value of the flags only the lowest bit', () => {
  for (let value = 0; value < 256; value += 1) {
    const digits = value.toString(16).padStart(2, '0');
    assert.equal(flagsAfter(`${digits}-${TRACE}-${SPAN}-01`), digits === 'ff' ? undefined : '01', digits);
    assert.equal(flagsAfter(`00-${TRACE}-${SPAN}-${digits}`), `0${value % 2}`, digits);
  }
});

test('an id may begin or end with zeros, and has not only zeros', () => {
  for (const [id, zeros, parentOf] of [
    [TRACE, '0'.repeat(31), (trace: string) => `00-${trace}-${SPAN}-01`],
    [SPAN, '0'.repeat(15), (span: string) => `00-${TRACE}-${span}-01`],
  ] as const) {
    for (const legal of [`0${id.slice(1)}`, `${zeros}1`, `1${zeros}`]) assert.equal(flagsAfter(parentOf(legal)), '01', legal);
    assert.equal(flagsAfter(parentOf(`${zeros}0`)), undefined);
  }
});

test('each digit is 0 to 9 or a to f, each dash is a dash, and none of them may be missing or there twice', () => {
  const parent = `01-${TRACE}-${SPAN}-01`;
  for (let at = 0; at < parent.length; at += 1) {
    const [before, after] = [parent.slice(0, at), parent.slice(at + 1)];
    const legal = parent[at] === '-' ? '-' : '0123456789abcdef';
    for (const character of CHARACTERS) {
      const changed = before + character + after;
      assert.equal(flagsAfter(changed) !== undefined, legal.includes(character), JSON.stringify(changed));
    }
    for (const changed of [before + after, before + parent[at] + parent[at] + after]) assert.equal(flagsAfter(changed), undefined, changed);
  }
});

test('version 00 has nothing after its flags, and a later version a dash and no comma: that begins the value of a second line', () => {
  for (const character of CHARACTERS) {
    assert.equal(flagsAfter(`00-${TRACE}-${SPAN}-01${character}`), undefined, JSON.stringify(character));
    assert.equal(flagsAfter(`cc-${TRACE}-${SPAN}-01${character}`), character === '-' ? '01' : undefined, JSON.stringify(character));
    assert.equal(flagsAfter(`cc-${TRACE}-${SPAN}-01-a${character}b`), character === ',' ? undefined : '01', JSON.stringify(character));
  }
});

test('ids are drawn anew, block after block', (t) => {
  const { mock } = t.mock.method(crypto, 'getRandomValues');
  const drawn = Array.from({ length: 1000 }, () => childTraceparent(undefined));
  for (const traceparent of drawn) assert.match(traceparent, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
  const parts = drawn.flatMap((traceparent) => [traceparent.slice(3, 19), traceparent.slice(19, 35), traceparent.slice(36, 52)]);
  assert.equal(new Set(parts).size, 3000);
  const spans = Array.from({ length: 1000 }, () => childTraceparent(`00-${TRACE}-${SPAN}-01`).slice(36, 52));
  assert.deepEqual([new Set(spans).size, mock.callCount() < 20], [1000, true]);
});
