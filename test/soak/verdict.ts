// Is memory flat? The first third of the rows is the warm-up; the last third is held against the second.
import type { Row } from './table.ts';

const GROWTH = 1.1;
const SLACK_MEBIBYTES = 4; // what the garbage collector may have left lying when it was looked at

export type Verdict = { readonly isFlat: boolean; readonly text: string };

/** The verdict on the memory in `rows`. */
export function judge(rows: readonly Row[]): Verdict {
  const third = Math.floor(rows.length / 3);
  const highest = (some: readonly Row[]) => Math.max(...some.map(({ mebibytes }) => mebibytes));
  const second = highest(rows.slice(third, 2 * third));
  const last = highest(rows.slice(2 * third));
  const limit = second * GROWTH + SLACK_MEBIBYTES;
  const isFlat = third > 0 && last <= limit;
  const words = isFlat ? 'flat' : 'not flat';
  return { isFlat, text: `Memory is ${words}: at most ${second.toFixed(1)} MiB in the second third, ${last.toFixed(1)} in the last (limit ${limit.toFixed(1)})` };
}
