// What is said of figures that have a bound.
import type { Verdict } from './bounds.ts';
import { boundsTable } from './tables.ts';

/** Prints the figures that are too high. The process will exit with 1 when there are any. */
export function printVerdicts(verdicts: readonly Verdict[]): void {
  const tooHigh = verdicts.filter(({ isTooHigh }) => isTooHigh);
  if (tooHigh.length === 0) console.log(`All ${verdicts.length} figures of the service that have a bound are within it.`);
  else {
    console.log(boundsTable(tooHigh, 'above its bound'));
    process.exitCode = 1;
  }
}
