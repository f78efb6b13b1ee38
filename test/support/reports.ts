// Reports that a test does not look at.
import assert from 'node:assert/strict';
import type { Reports } from '../../src/server/reports.ts';

/** Nothing is kept, and an error that is reported fails the test. */
export const NO_REPORTS: Reports = {
  failed: (error) => assert.fail(String(error)),
  refused: () => {},
  ended: () => {},
  dropped: () => {},
  finished: undefined,
};
