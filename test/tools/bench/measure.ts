// Measures servers in turn, each for a short time, so that a disturbance of the machine affects all of them alike.
import { requestBytes } from '../../support/exchange.ts';
import type { Environment } from '../../support/process.ts';
import { residentMemory } from '../../support/usage.ts';
import { createLoad, type Load, type Run } from './load.ts';
import { cpuTimeOf, startServer, type Server, type Servers } from './processes.ts';

/** What servers are asked for, and how the tables call that. */
export type Comparison = {
  readonly label: string;
  /** The field lines of each request beside Host. */
  readonly fields: readonly string[];
  readonly paths: readonly string[];
  readonly env: Environment;
  /** How long nothing is sent before and after a measurement, so that the server is idle when its CPU time is read. */
  readonly settleMs: number;
};

/** A measurement of a path. `cpu`: µs of the server for a request. */
export type Slice = Run & { readonly cpu: number };

/** Measurements are in their order. Those of two servers at the same index were taken one after the other. */
export type Result = Comparison & {
  readonly server: string;
  readonly script: string;
  readonly slices: ReadonlyMap<string, Slice[]>; // by path
  readonly memory: number[]; // MiB after the load, for each round
};

type Running = { readonly result: Result; readonly server: Server; readonly load: Load };

const WARM_UP_ROUNDS = 100; // 100,000 requests: enough for V8 to compile the code
const WARM_UP_REQUESTS = 1000; // for one path, before the next path
const SLICE_REQUESTS = 2500; // for one measurement, about 30 ms, and as many right before it
const SLICES = 2; // of each path in a round

/**
 * Measures the servers with each of `comparisons`. Runs rounds until `timeMs` are over, at least one, and returns a result for each
 * comparison and server. Each round starts new server processes, because two processes of one program differ by some percent: by the
 * addresses of their memory, and by the moments when V8 compiled their code.
 */
export async function measure(servers: Servers, comparisons: readonly Comparison[], timeMs: number): Promise<Result[][]> {
  const results = comparisons.map((comparison) => Array.from(servers, ([server, script]): Result =>
    ({ ...comparison, server, script, slices: new Map(comparison.paths.map((path) => [path, []])), memory: [] })));
  const end = performance.now() + timeMs;
  do {
    for (const ofServers of results) await measureRound(ofServers);
  } while (performance.now() < end);
  return results;
}

// All servers are warmed up in turn, so that none waits meanwhile: after a second of waiting, a server is slower for thousands of requests.
// All paths are used from the start, because V8 discards code that it has compiled for one of them alone.
async function measureRound(results: readonly Result[]): Promise<void> {
  const paths = results[0]?.paths ?? [];
  const all: Running[] = [];
  for (const result of results) {
    const server = await startServer(result.script, result.env);
    all.push({ result, server, load: createLoad({ port: server.port, isTls: false }) });
  }
  for (let round = 0; round < WARM_UP_ROUNDS / paths.length; round += 1) {
    for (const path of paths) for (const one of all) await run(one, path, WARM_UP_REQUESTS);
  }
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const path of paths) for (const one of all) await measureSlice(one, path);
  }
  for (const { result, server, load } of all) {
    result.memory.push(residentMemory(server.pid));
    load.close();
    await server.stop();
  }
}

const run = ({ result: { fields }, load }: Running, path: string, count: number) =>
  load.run(Buffer.from(requestBytes('GET', path, fields)), count);

async function measureSlice(one: Running, path: string): Promise<void> {
  await run(one, path, SLICE_REQUESTS); // not measured: the CPU's caches are still filled by the server before it
  const { cpu, done } = await cpuTimeOf(one.server, one.result.settleMs, () => run(one, path, SLICE_REQUESTS));
  one.result.slices.get(path)?.push({ ...done, cpu: cpu / SLICE_REQUESTS });
}
