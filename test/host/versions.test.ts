import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAtLeast } from '../../src/host/versions.ts';

test('versions are compared number by number', () => {
  for (const version of ['v22.12', 'v22.12.0', 'v22.23.3', 'v24.0.0', 'v100.0.0']) assert.ok(isAtLeast(version, 'v22.12'), version);
  for (const version of ['v22.11.9', 'v22.9.0', 'v20.19.0', 'v9.0.0', 'v22.2.0']) assert.ok(!isAtLeast(version, 'v22.12'), version);
});
