// What a traceparent may be, and what becomes of it, is in the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceparent } from '../../src/http/trace-context.ts';

test('ids are drawn without the global of Web Cryptography, which a flag of Node 20 and 22 takes away', (t) => {
  t.mock.getter(globalThis, 'crypto', () => undefined);
  assert.match(childTraceparent(undefined), /^00-/);
});
