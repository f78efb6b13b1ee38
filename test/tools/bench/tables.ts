// The tables that the benchmark prints, and the median, which a single measurement that was disturbed hardly changes.
import type { Verdict } from './bounds.ts';

/** Prints the figures that are too high. The process will exit with 1 when there are any. */
export function printTooHigh(verdicts: readonly Verdict[]): void {
  const tooHigh = verdicts.filter(({ isTooHigh }) => isTooHigh);
  if (tooHigh.length === 0) return console.log(`All ${verdicts.length} figures of the service that have a bound are within it.`);
  const rows = tooHigh.map(({ figure, measured, bound }) => [figure, measured.toFixed(2), bound.toFixed(2)]);
  console.log(table([['above its bound', 'measured', 'at most'], ...rows], 1));
  process.exitCode = 1;
}

/** Lines with columns: the first `words` columns are words, to the left; the others are numbers, to the right. */
export function table(rows: readonly (readonly string[])[], words: number): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const align = (cell: string, column: number) => (column < words ? cell.padEnd(width(column)) : cell.padStart(width(column)));
  return `${rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n')}\n`;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
