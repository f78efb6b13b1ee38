// Figures in columns, each with its ratio to the first runner's.
import { median, medianRatio } from './statistics.ts';
import type { Result } from './race.ts';

/** What each request costs: a row for each path and runner. */
export function requestTable(results: readonly Result[]): string {
  const rows = [['', '', 'status', 'CPU µs', 'ratio', 'requests/s', 'p50 ms', 'p99 ms']];
  for (const path of results[0]?.figures.keys() ?? []) {
    for (const { name, figures } of results) {
      const mine = figures.get(path);
      const first = results[0]?.figures.get(path);
      if (mine === undefined || first === undefined) continue;
      rows.push([
        path, name, mine.status, median(mine.cpu).toFixed(2), medianRatio(mine.cpu, first.cpu).toFixed(2),
        median(mine.rate).toFixed(0), median(mine.p50).toFixed(2), median(mine.p99).toFixed(2),
      ]);
    }
  }
  return columns(rows);
}

/** One figure of each runner: a row for each. */
export function figureTable(title: string, figures: ReadonlyMap<string, readonly number[]>): string {
  const rows = [[title, '', 'median', 'ratio']];
  const [first = []] = figures.values();
  for (const [name, values] of figures) rows.push(['', name, median(values).toFixed(1), medianRatio(values, first).toFixed(2)]);
  return columns(rows);
}

// Words to the left, numbers to the right.
function columns(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const align = (cell: string, column: number) => (column < 2 ? cell.padEnd(width(column)) : cell.padStart(width(column)));
  return `${rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n')}\n`;
}
