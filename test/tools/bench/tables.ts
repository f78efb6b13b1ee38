// The tables that the benchmark prints. A ratio is that of a server to the first one.
import type { Outcome } from './attack.ts';
import type { Verdict } from './bounds.ts';
import type { Result } from './measure.ts';
import { median, medianRatio } from './statistics.ts';

/** The cost of a request: a row for each path and server. Each of `comparisons` has the results of servers with the same requests. */
export function requestTable(comparisons: readonly (readonly Result[])[]): string {
  const rows = comparisons.flatMap(requestRows);
  return table([['request', 'path', 'server', 'status', 'CPU µs', 'ratio', 'requests/s', 'p50 ms', 'p99 ms'], ...rows], 3);
}

function requestRows(results: readonly Result[]): string[][] {
  const [first] = results;
  return Array.from(first?.figures ?? [], ([path, { cpu: firstCpu }]) =>
    results.flatMap(({ name, label, figures }) => {
      const own = figures.get(path);
      if (own === undefined) return [];
      return [[
        label, path, name, own.status, median(own.cpu).toFixed(2), medianRatio(own.cpu, firstCpu).toFixed(2),
        median(own.rate).toFixed(0), median(own.p50).toFixed(2), median(own.p99).toFixed(2),
      ]];
    })).flat();
}

/** The memory of each server: a row for each. */
export function memoryTable(comparisons: readonly (readonly Result[])[]): string {
  const rows = comparisons.flatMap((results) => results.map(({ name, label, memory }) =>
    [label, name, median(memory).toFixed(1), medianRatio(memory, results[0]?.memory ?? []).toFixed(2)]));
  return table([['memory after load', '', 'MiB', 'ratio'], ...rows], 2);
}

/** Milliseconds from start to first reply: a row for each server. */
export function startTable(times: ReadonlyMap<string, readonly number[]>): string {
  const [first = []] = times.values();
  const rows = Array.from(times, ([name, values]) => [name, median(values).toFixed(1), medianRatio(values, first).toFixed(2)]);
  return table([['start to first reply', 'ms', 'ratio'], ...rows], 1);
}

/** The figures that have a bound: a row for each. `measure` says what they are. */
export function boundsTable(verdicts: readonly Verdict[], measure: string): string {
  const rows = verdicts.map(({ figure, measured, bound, isTooHigh }) =>
    [figure, measured.toFixed(2), bound.toFixed(2), isTooHigh ? 'too high' : '']);
  return table([[measure, 'measured', 'at most', ''], ...rows], 1);
}

/** Prints the figures that are too high. The process will exit with 1 when there are any. */
export function printTooHigh(verdicts: readonly Verdict[]): void {
  const tooHigh = verdicts.filter(({ isTooHigh }) => isTooHigh);
  if (tooHigh.length === 0) return console.log(`All ${verdicts.length} figures of the service that have a bound are within it.`);
  console.log(boundsTable(tooHigh, 'above its bound'));
  process.exitCode = 1;
}

/** How long others wait during attacks: a row for each attack and server. */
export function waitsTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ attack, server, clients, requests, failed, median, p95, worst, peak, stop }) => [
    attack, server, ...[clients, requests, failed].map(String), ...[median, p95, worst].map((ms) => ms.toFixed(1)),
    peak.toFixed(0), stop === undefined ? 'no' : 'yes', stop ?? '',
  ]);
  const figures = ['requests', 'failed', 'median ms', 'p95 ms', 'worst ms', 'peak MiB', 'lives', 'stop s'];
  return table([['attack', 'server', 'clients', ...figures], ...rows], 2);
}

/** Lines with columns: the first `words` columns are words, to the left; the others are numbers, to the right. */
export function table(rows: readonly (readonly string[])[], words: number): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const align = (cell: string, column: number) => (column < words ? cell.padEnd(width(column)) : cell.padStart(width(column)));
  return `${rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n')}\n`;
}
