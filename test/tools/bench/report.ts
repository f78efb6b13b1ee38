// The figures and tables that the benchmark prints.
/** A figure, and its bound in brackets. Above that, it is marked, and the exit code is 1. */
export function figure(value: number, digits: number, bound?: number): string {
  const text = Number.isNaN(value) ? '-' : value.toFixed(digits);
  if (bound === undefined) return text;
  const isWithin = value <= bound; // what could not be measured is not
  if (!isWithin) process.exitCode = 1;
  return `${text} [${bound}]${isWithin ? ' ' : '!'}`;
}

/** Lines with columns: the first `words` columns are words, to the left; the others are numbers, to the right. */
export function table(rows: readonly (readonly string[])[], words: number): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const pad = (cell: string, i: number) => (i < words ? cell.padEnd(width(i)) : cell.padStart(width(i)));
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

export const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** A single measurement that was disturbed hardly changes it. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
