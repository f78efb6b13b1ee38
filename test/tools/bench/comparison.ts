// Compares the service with the floor, for `npm run bench`, and what a request costs in other situations, for `--growth`.
import { BOUNDS, judge, TOLERANCE } from './bounds.ts';
import { measure, setup, type Result, type Setup } from './measure.ts';
import { ratiosPicture } from './pictures.ts';
import { startServer, type Servers } from './processes.ts';
import { requestBytes, type RequestKind } from './request-kinds.ts';
import { ask, openReady } from './sockets.ts';
import { medianRatio } from './statistics.ts';
import { boundsTable, memoryTable, printTooHigh, requestTable, startTable } from './tables.ts';

const TIME_MS = 110_000; // no other round begins after it
const SHORT_TIME_MS = 25_000;
const STARTS = 30;
const GREETINGS = '/api/greetings';
const QUICK_PATHS = ['/health', GREETINGS, '/api/greetings?name=Ada%20Lovelace'];
const PATHS = [...QUICK_PATHS, '/api/greetings?name=', '/nope'];
const JUDGED_LINE = /^v24\./; // of Node

/**
 * Measures the servers, and prints how the others compare with the first, the floor. On Node 24 the process will exit with 1 when a figure
 * of the service is too high.
 */
export async function printComparison(servers: Servers): Promise<void> {
  // The service writes a line of the access log up to 50 ms after the reply, so the measurement waits for longer. What a
  // process does when it is idle is then measured, too, for the floor as well, which has no log.
  const withLog = (one: Setup): Setup => ({ ...one, label: 'access log', env: { ACCESS_LOG: 'true' }, settleMs: 60 });
  const results = await measure([...bothKinds(servers, PATHS), setupsOf(servers, 'browser', [GREETINGS]).map(withLog)], TIME_MS);
  const starts = await startTimes(servers);
  const ratios = ratiosToFloor(results, starts);
  const verdicts = judge(ratios, BOUNDS, TOLERANCE);

  console.log(`Rounds: ${results[0]?.[0]?.memory.length}, starts: ${STARTS}\n`);
  console.log(requestTable(results));
  console.log(memoryTable(results));
  console.log(startTable(starts));
  console.log(boundsTable(verdicts, 'service ÷ floor'));
  console.log(ratiosPicture(ratios));
  if (JUDGED_LINE.test(process.version)) printTooHigh(verdicts);
}

/** The cost of the most usual requests in less than 40 s, without a verdict. */
export async function printQuickComparison(servers: Servers): Promise<void> {
  console.log(requestTable(await measure(bothKinds(servers, QUICK_PATHS), SHORT_TIME_MS)));
}

/** The cost of a request by number of connections, and for the service by age of the process. */
export async function printGrowth(floor: string, service: string): Promise<void> {
  const named = (name: string, script: string) => setup(name, script, 'Host only', [GREETINGS]);
  for (const [name, script] of [['floor', floor], ['service', service]] as const) {
    const on = (connections: number, active: number, rest = ''): Setup =>
      ({ ...named(`${name}, connections: ${connections}${rest}`, script), connections, active });
    console.log(requestTable(await measure([[
      on(50, 50),
      on(1, 1), // every request wakes the process; with 50 connections one wake-up serves about ten requests
      on(500, 50, ', 50 active'),
      on(2000, 50, ', 50 active'),
      on(2000, 2000, ', all active'), // more data than the caches of a CPU hold, including the data of the kernel
    ]], SHORT_TIME_MS)));
  }
  const ages = await measure([[named('fresh', service), { ...named('after 500,000 requests', service), warmUp: 500_000 }]], SHORT_TIME_MS);
  console.log(requestTable(ages));
  console.log(memoryTable(ages));
}

function setupsOf(servers: Servers, kind: RequestKind, paths: readonly string[]): Setup[] {
  return Array.from(servers, ([name, script]) => setup(name, script, kind, paths));
}

function bothKinds(servers: Servers, paths: readonly string[]): Setup[][] {
  return [setupsOf(servers, 'Host only', paths), setupsOf(servers, 'browser', paths)];
}

type Times = ReadonlyMap<string, readonly number[]>; // ms, by server

/** Starts each server several times, in turn, and measures how long it takes from the creation of the process to its first reply. */
async function startTimes(servers: Servers): Promise<Times> {
  const times = new Map(Array.from(servers.keys(), (name) => [name, new Array<number>()]));
  for (let round = 0; round < STARTS; round += 1) {
    for (const [name, script] of servers) {
      const begin = performance.now();
      const { port, stop } = await startServer(script);
      const socket = await openReady({ port, isTls: false });
      await ask(socket, requestBytes('Host only', port, '/health'));
      times.get(name)?.push(performance.now() - begin);
      socket.destroy();
      await stop();
    }
  }
  return times;
}

/** The ratios of the service to the floor, under the names that they have in `BOUNDS`. */
function ratiosToFloor(comparisons: readonly (readonly Result[])[], starts: Times): ReadonlyMap<string, number> {
  const ratios = new Map([['start', medianRatio(starts.get('service') ?? [], starts.get('floor') ?? [])]]);
  for (const [floor, service] of comparisons) {
    if (floor === undefined || service === undefined) continue;
    const p99OfAllPaths = ({ figures }: Result) => Array.from(figures.values()).flatMap(({ p99 }) => p99);
    for (const [path, { cpu }] of service.figures) {
      ratios.set(`CPU, ${service.label}, ${path}`, medianRatio(cpu, floor.figures.get(path)?.cpu ?? []));
    }
    ratios.set(`p99 latency, ${service.label}`, medianRatio(p99OfAllPaths(service), p99OfAllPaths(floor)));
    ratios.set(`memory, ${service.label}`, medianRatio(service.memory, floor.memory));
  }
  return ratios;
}
