// Compares the service with the baseline, for `npm run bench`. A ratio is that of a server to the first one, the baseline.
import { BOUNDS, judge, TOLERANCE } from './bounds.ts';
import { measure, type Comparison, type Result, type Slice } from './measure.ts';
import { startServer, type Servers } from './processes.ts';
import { ask, BROWSER, HEALTH, openReady } from './requests.ts';
import { median, medianRatio, printTooHigh, table } from './tables.ts';

const TIME_MS = 110_000; // no other round begins after it
const STARTS = 30;
const GREETINGS = '/api/greetings';
const PATHS = ['/health', GREETINGS, '/api/greetings?name=Ada%20Lovelace', '/api/greetings?name=', '/nope'];
const JUDGED_LINE = /^v24\./; // of Node
const COMPARISONS: readonly Comparison[] = [
  { label: 'Host only', fields: [], paths: PATHS, env: {}, settleMs: 5 }, // as load generators send it
  { label: 'browser', fields: BROWSER, paths: PATHS, env: {}, settleMs: 5 },
  // The service writes a line of the access log up to 50 ms after the reply, so the measurement waits for longer. What a
  // process does when it is idle is then also measured, for the baseline as well, which has no log.
  { label: 'access log', fields: BROWSER, paths: [GREETINGS], env: { ACCESS_LOG: 'true' }, settleMs: 60 },
];

type Measured = readonly [server: string, values: readonly number[]];
/** A figure with a bound, under its name in `BOUNDS`, of each server. */
type Figure = { readonly name: string; readonly unit: string; readonly of: readonly Measured[] };

/** Measures the servers, and prints the figures. On Node 24 the process will exit with 1 when a figure of the service is too high. */
export async function printComparison(servers: Servers): Promise<void> {
  const results = await measure(servers, COMPARISONS, TIME_MS);
  const figures: Figure[] = [...results.flatMap(figuresOf), { name: 'start', unit: 'ms', of: Array.from(await startTimes(servers)) }];
  console.log(`Rounds: ${results[0]?.[0]?.memory.length}, starts: ${STARTS}\n`);
  printRequests(results);
  const rows = figures.filter(({ unit }) => unit !== 'µs').flatMap(({ name, unit, of }) => of.map(([server, values]) =>
    [name, server, `${median(values).toFixed(2)} ${unit}`, medianRatio(values, of[0]?.[1] ?? []).toFixed(2)]));
  console.log(table([['figure', 'server', 'median', 'ratio'], ...rows], 2));
  const ratios = new Map(figures.map(({ name, of: [baseline, service] }) => [name, medianRatio(service?.[1] ?? [], baseline?.[1] ?? [])]));
  if (JUDGED_LINE.test(process.version)) printTooHigh(judge(ratios, BOUNDS, TOLERANCE));
}

function printRequests(results: readonly (readonly Result[])[]): void {
  const rows = results.flatMap((servers) => (servers[0]?.paths ?? []).flatMap((path) => servers.map((result) => {
    const cpu = valuesOf(result, 'cpu', path);
    const ratio = medianRatio(cpu, valuesOf(servers[0], 'cpu', path));
    const [rate, p50, p99] = (['requestsPerSecond', 'p50', 'p99'] as const).map((figure) => median(valuesOf(result, figure, path)));
    const figures = [median(cpu).toFixed(2), ratio.toFixed(2), `${rate?.toFixed(0)}`, `${p50?.toFixed(2)}`, `${p99?.toFixed(2)}`];
    return [result.label, path, result.server, String(result.slices.get(path)?.at(-1)?.status), ...figures];
  })));
  console.log(table([['request', 'path', 'server', 'status', 'CPU µs', 'ratio', 'requests/s', 'p50 ms', 'p99 ms'], ...rows], 3));
}

/** A figure of each measurement of a server, of one path or of all. */
function valuesOf(result: Result | undefined, figure: Exclude<keyof Slice, 'status'>, path?: string): number[] {
  return Array.from(result?.slices ?? []).flatMap(([of, slices]) =>
    (path === undefined || of === path ? slices.map((slice) => slice[figure]) : []));
}

/** The figures of the requests of one kind. */
function figuresOf(servers: readonly Result[]): Figure[] {
  const { label = '', paths = [] } = servers[0] ?? {};
  const figure = (name: string, unit: string, values: (of: Result) => readonly number[]): Figure =>
    ({ name, unit, of: servers.map((one) => [one.server, values(one)]) });
  return [
    ...paths.map((path) => figure(`CPU, ${label}, ${path}`, 'µs', (one) => valuesOf(one, 'cpu', path))),
    figure(`p99 latency, ${label}`, 'ms', (one) => valuesOf(one, 'p99')),
    figure(`memory, ${label}`, 'MiB', ({ memory }) => memory),
  ];
}

/** Starts each server several times, in turn, and measures how many ms it takes from the creation of the process to its first reply. */
async function startTimes(servers: Servers): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map(Array.from(servers.keys(), (name) => [name, new Array<number>()]));
  for (let round = 0; round < STARTS; round += 1) {
    for (const [name, script] of servers) {
      const begin = performance.now();
      const { port, stop } = await startServer(script);
      const socket = await openReady({ port, isTls: false });
      await ask(socket, HEALTH);
      times.get(name)?.push(performance.now() - begin);
      socket.destroy();
      await stop();
    }
  }
  return times;
}
