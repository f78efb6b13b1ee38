// Measures servers in turn, each for a short time, so that a disturbance of the machine affects all of them alike.
import type { Environment } from '../../support/process.ts';
import { residentMemory } from '../../support/usage.ts';
import { Load } from './load.ts';
import { cpuTimeOf, startServer, type Server } from './processes.ts';
import { requestBytes, type RequestKind } from './request-kinds.ts';

/** A server to be measured, and the load on it. */
export type Setup = {
  readonly name: string;
  readonly script: string;
  readonly env: Environment;
  readonly connections: number;
  /** How many of the connections are used for requests, in turn. The others stay idle. */
  readonly active: number;
  /** Requests before anything is measured. */
  readonly warmUp: number;
  /** How long nothing is sent before and after a measurement, so that the server is idle when its CPU time is read. */
  readonly settleMs: number;
  /** What it is asked for, and how the tables call that. */
  readonly label: string;
  readonly requestKind: RequestKind;
  readonly paths: readonly string[];
};

/** Measurements in their order. Those of two servers at the same index were taken one after the other. */
export type Figures = {
  status: string;
  readonly cpu: number[]; // µs of the server for a request
  readonly rate: number[]; // requests per second
  readonly p50: number[]; // ms
  readonly p99: number[]; // ms
};

export type Result = Setup & {
  readonly figures: ReadonlyMap<string, Figures>; // by path
  readonly memory: number[]; // MiB after the load, for each round
};

type Running = { readonly result: Result; readonly server: Server; readonly load: Load };

const WARM_UP_REQUESTS = 1000; // for one path, before the next path
const SLICE_REQUESTS = 2500; // for one measurement, about 30 ms, and as many right before it
const SLICES = 2; // of each path in a round

/** The usual setup: the warm-up is long enough for V8 to compile the code, and every connection is in use. */
export function setup(name: string, script: string, requestKind: RequestKind, paths: readonly string[]): Setup {
  const load = { connections: 50, active: 50, warmUp: 100_000, settleMs: 5 };
  return { name, script, env: {}, ...load, label: requestKind, requestKind, paths };
}

/**
 * Measures servers that get the same requests, for each of `comparisons`. Runs rounds until `timeMs` are over, at least one,
 * and returns a result for each setup. Each round starts new server processes, because two processes of one program differ by
 * some percent: by the addresses of their memory, and by the moments when V8 compiled their code.
 */
export async function measure(comparisons: readonly (readonly Setup[])[], timeMs: number): Promise<Result[][]> {
  const noFigures = (): Figures => ({ status: '', cpu: [], rate: [], p50: [], p99: [] });
  const results = comparisons.map((setups) => setups.map((one): Result =>
    ({ ...one, figures: new Map(one.paths.map((path) => [path, noFigures()])), memory: [] })));
  const end = performance.now() + timeMs;
  do {
    for (const servers of results) await measureRound(servers);
  } while (performance.now() < end);
  return results;
}

async function measureRound(results: readonly Result[]): Promise<void> {
  const paths = results[0]?.paths ?? [];
  const all: Running[] = [];
  for (const result of results) {
    const server = await startServer(result.script, result.env);
    all.push({ result, server, load: new Load({ port: server.port, isTls: false }) });
  }
  await warmUp(all, paths);
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const path of paths) for (const one of all) await measureSlice(one, path);
  }
  for (const { result, server, load } of all) {
    result.memory.push(residentMemory(server.pid));
    load.close();
    await server.stop();
  }
}

// All servers in turn, so that none waits while others are warmed up: after a second of waiting, a server is slower for
// thousands of requests.
// All paths are used from the start, because V8 discards code that it has compiled for one of them alone.
async function warmUp(all: readonly Running[], paths: readonly string[]): Promise<void> {
  let left = Math.max(...all.map(({ result }) => result.warmUp));
  for (; left > 0; left -= paths.length * WARM_UP_REQUESTS) {
    for (const path of paths) {
      for (const one of all) if (one.result.warmUp >= left) await runOn(one, path, WARM_UP_REQUESTS); // all of them end together
    }
  }
}

async function runOn({ result: { requestKind, connections, active }, server, load }: Running, path: string, count: number, used = active) {
  await load.open(connections);
  return load.run(requestBytes(requestKind, server.port, path), used, count);
}

async function measureSlice(one: Running, path: string): Promise<void> {
  const { result: { connections, active, settleMs }, server } = one;
  const figures = one.result.figures.get(path);
  if (figures === undefined) return;
  if (connections > active) await runOn(one, path, connections, connections); // so that all of them have been in use
  await runOn(one, path, SLICE_REQUESTS); // not measured: the CPU's caches are still filled by the server before it
  const { cpu, done: run } = await cpuTimeOf(server, settleMs, () => runOn(one, path, SLICE_REQUESTS));
  figures.status = run.status;
  figures.cpu.push(cpu / SLICE_REQUESTS);
  figures.rate.push(run.requestsPerSecond);
  figures.p50.push(run.p50);
  figures.p99.push(run.p99);
}
