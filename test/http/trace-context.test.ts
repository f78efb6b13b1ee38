import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceparent } from '../../src/http/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

const newTrace = new RegExp(`^00-(?!${traceId}|0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$`);

const accepted: readonly (readonly [what: string, parent: string, flags: string])[] = [
  ['sampled', `00-${traceId}-${spanId}-01`, '01'],
  ['not sampled', `00-${traceId}-${spanId}-00`, '00'],
  ['with other flags, which are not handed down', `00-${traceId}-${spanId}-ff`, '01'],
  ['with other flags but not sampled', `00-${traceId}-${spanId}-fe`, '00'],
  ['of a later version', `01-${traceId}-${spanId}-01`, '01'],
  ['of a later version with a dash at the end', `01-${traceId}-${spanId}-01-`, '01'],
  ['of a later version with more fields', `cc-${traceId}-${spanId}-01-what-the-future-brings`, '01'],
];
for (const [what, parent, flags] of accepted) {
  test(`a traceparent ${what} hands down its trace`, () => {
    assert.match(childTraceparent(parent), new RegExp(`^00-${traceId}-(?!${spanId}|0{16})[0-9a-f]{16}-${flags}$`));
  });
}

test('ids that begin or end with zeros are ids like any other', () => {
  for (const id of [`${'0'.repeat(31)}1`, `1${'0'.repeat(31)}`, `0${traceId.slice(1)}`, `${'0'.repeat(16)}${traceId.slice(16)}`]) {
    for (const parentId of [`${'0'.repeat(15)}1`, `1${'0'.repeat(15)}`, `0${spanId.slice(1)}`]) {
      assert.match(childTraceparent(`00-${id}-${parentId}-01`), new RegExp(`^00-${id}-(?!${parentId}|0{16})[0-9a-f]{16}-01$`));
    }
  }
});

const ignored: readonly (readonly [what: string, parent: string | undefined])[] = [
  ['none', undefined],
  ['an empty one', ''],
  ['one of version 00 with more fields', `00-${traceId}-${spanId}-01-more`],
  ['one of version 00 with a dash at the end', `00-${traceId}-${spanId}-01-`],
  ['one with a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['one with a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['one with a flag of one digit and a dash', `01-${traceId}-${spanId}-1-`],
  ['one with something before it', `x00-${traceId}-${spanId}-01`],
  ['two in one', `01-${traceId}-${spanId}-01-x, 00-${traceId}-${spanId}-01`],
];
for (const [what, parent] of ignored) {
  test(`instead of ${what}, a new trace is drawn`, () => {
    assert.match(childTraceparent(parent), newTrace);
  });
}

test('each version but ff hands down its trace, and of each value of the flags only the lowest bit', () => {
  for (let value = 0; value < 256; value += 1) {
    const digits = value.toString(16).padStart(2, '0');
    assert.equal(childTraceparent(`${digits}-${traceId}-${spanId}-01`).startsWith(`00-${traceId}-`), digits !== 'ff', digits);
    assert.match(childTraceparent(`00-${traceId}-${spanId}-${digits}`), new RegExp(`^00-${traceId}-[0-9a-f]{16}-0${value % 2}$`));
  }
});

test('each digit is 0 to 9 or a to f, each dash is a dash, and none of them may be missing or there twice', () => {
  const parent = `01-${traceId}-${spanId}-01`;
  for (let at = 0; at < parent.length; at += 1) {
    const [before, after] = [parent.slice(0, at), parent.slice(at + 1)];
    const legal = parent[at] === '-' ? '-' : '0123456789abcdef';
    for (let code = 0; code < 256; code += 1) {
      const changed = before + String.fromCharCode(code) + after;
      const isLegal = legal.includes(String.fromCharCode(code));
      assert.equal(childTraceparent(changed).startsWith(`00-${changed.slice(3, 35)}-`), isLegal, JSON.stringify(changed));
    }
    assert.match(childTraceparent(before + after), newTrace);
    assert.match(childTraceparent(before + parent[at] + parent[at] + after), newTrace);
  }
});

test('behind the flags of a later version there is a dash or nothing', () => {
  for (let code = 0; code < 256; code += 1) {
    const more = String.fromCharCode(code);
    assert.equal(childTraceparent(`01-${traceId}-${spanId}-01${more}`).startsWith(`00-${traceId}-`), more === '-', JSON.stringify(more));
  }
});

test('ids are drawn anew, block after block', () => {
  const drawn = Array.from({ length: 1000 }, () => childTraceparent(undefined).split('-'));
  const parts = drawn.flatMap(([, trace = '', span]) => [trace.slice(0, 16), trace.slice(16), span]);
  assert.equal(new Set(parts).size, 3000);
  const spans = Array.from({ length: 1000 }, () => childTraceparent(`00-${traceId}-${spanId}-01`).split('-')[2]);
  assert.equal(new Set(spans).size, 1000);
});
