// The rules on their own: also those that the parser of some version of node checks before them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHead } from '../../src/http/request-head.ts';

const host = ['Host', 'a'];

test('a legal head says what follows it', () => {
  const legal = { refusal: 0, host: 'a', traceparent: undefined, hasContent: false, isLast: false };
  assert.deepEqual(readHead('1.1', host), legal);
  assert.deepEqual(readHead('1.1', [...host, 'TraceParent', 'x']), { ...legal, traceparent: 'x' });
  assert.deepEqual(readHead('1.1', [...host, 'traceparent', 'x', 'traceparent', 'x']), legal);
  assert.deepEqual(readHead('1.0', []), { ...legal, host: undefined });
  assert.deepEqual(readHead('1.1', [...host, 'content-length', '0']), legal);
  assert.deepEqual(readHead('1.1', [...host, 'CONTENT-LENGTH', '65536']), { ...legal, hasContent: true });
  assert.deepEqual(readHead('1.1', [...host, 'Transfer-Encoding', 'Chunked']), { ...legal, hasContent: true });
  assert.deepEqual(readHead('1.1', [...host, 'Upgrade', 'h2c']), { ...legal, isLast: true });
  assert.deepEqual(readHead('1.1', [...host, 'Content-Length', '1', 'Expect', '100-continue']), { ...legal, isLast: true });
});

test('an illegal head says with what it is refused', () => {
  const cases: readonly (readonly [version: string, fields: readonly string[], refusal: number])[] = [
    ['0.9', [], 505],
    ['2.0', host, 505],
    ['1.1', [], 400],
    ['1.1', [...host, ...host], 400],
    ['1.0', [...host, ...host], 400],
    ['1.1', ['Host', ''], 400],
    ['1.1', Array.from({ length: 202 }, () => 'x'), 431],
    ['1.1', [...host, 'Content-Length', '1', 'Content-Length', '1'], 400],
    ['1.1', [...host, 'Content-Length', '1', 'Transfer-Encoding', 'chunked'], 400],
    ['1.1', [...host, 'Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'], 400],
    ['1.1', [...host, 'Transfer-Encoding', ''], 400],
    ['1.0', ['Transfer-Encoding', 'chunked'], 400],
    ['1.1', [...host, 'Content-Length', '05'], 400],
    ['1.1', [...host, 'Content-Length', '9'.repeat(400)], 413],
    ['1.1', [...host, 'Expect', 'tea'], 417],
  ];
  for (const [version, fields, refusal] of cases) assert.equal(readHead(version, fields).refusal, refusal, JSON.stringify(fields).slice(0, 80));
});
