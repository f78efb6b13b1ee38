// Measures servers in turn, each for a short time, so that a disturbance of the machine affects all of them alike.
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, residentMemory } from '../../support/usage.ts';
import { startLoad, type Load } from './load.ts';
import { startServer, type Server } from './processes.ts';
import type { RequestKind } from './request-kinds.ts';
import type { Comparison, Setup } from './setup.ts';

/** Measurements in their order. Those of two servers at the same index were taken one after the other. */
export type Figures = {
  status: string;
  readonly cpu: number[]; // µs of the server for a request
  readonly rate: number[]; // requests per second
  readonly p50: number[]; // ms
  readonly p99: number[]; // ms
};

export type Result = Setup & {
  readonly label: string;
  readonly requestKind: RequestKind;
  readonly figures: ReadonlyMap<string, Figures>; // by path
  readonly memory: number[]; // MiB after the load, for each round
};

type RunningServer = { readonly result: Result; readonly server: Server };

const WARM_UP_REQUESTS = 1000; // for one path, before the next path
const SLICE_REQUESTS = 2500; // for one measurement, about 30 ms, and as many right before it
const SLICES = 2; // of each path in a round

/**
 * Runs rounds until `timeMs` are over, at least one, and returns a result for each setup. Each round starts new server
 * processes, because two processes of one program differ by some percent: by the addresses of their memory,
 * and by the moments when V8 compiled their code.
 */
export async function measure(comparisons: readonly Comparison[], timeMs: number): Promise<Result[][]> {
  const results = comparisons.map((comparison) => comparison.setups.map((one) => emptyResult(comparison, one)));
  const load = startLoad();
  const end = performance.now() + timeMs;
  do {
    for (const [i, { paths }] of comparisons.entries()) await measureRound(load, paths, results[i] ?? []);
  } while (performance.now() < end);
  await load.stop();
  return results;
}

function emptyResult({ label, requestKind, paths }: Comparison, one: Setup): Result {
  const noFigures = (): Figures => ({ status: '', cpu: [], rate: [], p50: [], p99: [] });
  return { ...one, label, requestKind, figures: new Map(paths.map((path) => [path, noFigures()])), memory: [] };
}

async function measureRound(load: Load, paths: readonly string[], results: readonly Result[]): Promise<void> {
  const servers: RunningServer[] = [];
  for (const result of results) servers.push({ result, server: await startServer(result.script, result.env) });
  await warmUpAll(load, servers, paths);
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const path of paths) {
      for (const server of servers) await measureSlice(load, server, path);
    }
  }
  for (const server of servers) await finish(load, server);
}

// All servers in turn, so that none waits while others are warmed up: after a second of waiting, a server is slower for
// thousands of requests.
// All paths are used from the start, because V8 discards code that it has compiled for one of them alone.
async function warmUpAll(load: Load, servers: readonly RunningServer[], paths: readonly string[]): Promise<void> {
  let left = Math.max(...servers.map(({ result }) => result.warmUp));
  for (; left > 0; left -= paths.length * WARM_UP_REQUESTS) {
    for (const path of paths) {
      for (const { result: { requestKind, connections, active, warmUp }, server: { port } } of servers) {
        if (warmUp < left) continue; // so that all of them end together
        await load.open(port, connections);
        await load.run({ port, requestKind, path, connections: active, requests: WARM_UP_REQUESTS, timeMs: Infinity });
      }
    }
  }
}

async function measureSlice(load: Load, { result, server }: RunningServer, path: string): Promise<void> {
  const { requestKind, connections, active, settleMs } = result;
  const { port, pid } = server;
  const figures = result.figures.get(path);
  if (figures === undefined) return;
  await load.open(port, connections);
  if (connections > active) {
    // Each connection gets a request, so that all of them have been in use.
    await load.run({ port, requestKind, path, connections, requests: connections, timeMs: Infinity });
  }
  const slice = { port, requestKind, path, connections: active, requests: SLICE_REQUESTS, timeMs: Infinity };
  await load.run(slice); // not measured: the CPU's caches are still filled by the server before it
  await sleep(settleMs);
  const before = cpuTime(pid);
  const run = await load.run(slice);
  await sleep(settleMs);
  figures.status = run.status;
  figures.cpu.push((cpuTime(pid) - before) / SLICE_REQUESTS);
  figures.rate.push(run.requestsPerSecond);
  figures.p50.push(run.p50);
  figures.p99.push(run.p99);
}

async function finish(load: Load, { result, server }: RunningServer): Promise<void> {
  result.memory.push(residentMemory(server.pid));
  await load.close(server.port);
  await server.stop();
}
