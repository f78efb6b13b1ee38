// A race: servers driven in turn, a little at a time, so that what slows one down slows the next down as well.
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, residentMemory } from '../support/usage.ts';
import { startLoad, startServer, type NodeProcess, type Server } from './processes.ts';

/** What takes part: a server, and how it is driven. */
export type Runner = {
  readonly name: string;
  readonly script: string;
  readonly connections: number;
  /** How many of them requests come on, in turn. */
  readonly busy: number;
  /** Requests before anything is measured. */
  readonly warmUp: number;
};

/** A runner as most are: its compiler has done its work, and every connection has a request under way. */
export function runner(name: string, script: string): Runner {
  return { name, script, connections: 50, busy: 50, warmUp: 100_000 };
}

/** A figure for each slice: those of two runners match, as they were measured one after the other. */
export type Figures = {
  status: string;
  readonly cpu: number[]; // µs of the server for a request
  readonly rate: number[]; // requests per second
  readonly p50: number[]; // ms
  readonly p99: number[]; // ms
};

export type Result = Runner & {
  readonly figures: ReadonlyMap<string, Figures>; // by path
  readonly memory: number[]; // MiB after the load, for each round
};

type Lane = { readonly result: Result; readonly server: Server };

const PORTION = 1000; // requests of a path at a time while warming up
const SLICE = 2500; // requests that are measured as one: about 30 ms
const SLICES = 4; // of each path in a round
const TIME_LIMIT_MS = 75_000; // on a slow or busy machine there are fewer rounds
const PAUSE_MS = 5; // around a slice, for the server to be idle when its CPU time is read

/**
 * Runs `rounds` rounds, or as many as there is time for. Each starts all servers afresh: two processes of
 * one program differ by some percent for as long as they live, by where their memory lies and what was
 * compiled when.
 */
export async function race(runners: readonly Runner[], paths: readonly string[], rounds: number): Promise<Result[]> {
  const results = runners.map((one) => ({ ...one, figures: new Map(paths.map((path) => [path, noFigures()])), memory: [] }));
  const load = startLoad();
  const end = performance.now() + TIME_LIMIT_MS;
  for (let round = 0; round < rounds && performance.now() < end; round += 1) {
    const lanes: Lane[] = [];
    for (const result of results) lanes.push(await warmUp(load, result));
    for (let slice = 0; slice < SLICES; slice += 1) await measure(load, lanes, paths, slice);
    for (const lane of lanes) await finish(load, lane);
  }
  await load.stop();
  return results;
}

function noFigures(): Figures {
  return { status: '', cpu: [], rate: [], p50: [], p99: [] };
}

async function warmUp(load: NodeProcess, result: Result): Promise<Lane> {
  const server = await startServer(result.script);
  await ask(load, `open ${server.port} ${result.connections}`);
  // All paths from the start: code that has been compiled for one of them alone is thrown away at the next.
  for (let sent = 0; sent < result.warmUp; sent += result.figures.size * PORTION) {
    for (const path of result.figures.keys()) await ask(load, `run ${server.port} ${path} ${PORTION} ${result.busy}`);
  }
  await ask(load, `close ${server.port}`); // others warm up next, and idle connections may be closed meanwhile
  return { result, server };
}

async function measure(load: NodeProcess, lanes: readonly Lane[], paths: readonly string[], slice: number): Promise<void> {
  for (const path of paths) {
    // Each goes first as often as last, so that neither gains by what the other leaves behind.
    for (const lane of slice % 2 === 0 ? lanes : lanes.toReversed()) await measureSlice(load, lane, path);
  }
}

async function measureSlice(load: NodeProcess, { result, server }: Lane, path: string): Promise<void> {
  const figures = result.figures.get(path);
  if (figures === undefined) return;
  await ask(load, `open ${server.port} ${result.connections}`);
  if (result.connections > result.busy) {
    // The others have had a request: a connection that has not is timed out sooner, and costs a refusal.
    await ask(load, `run ${server.port} ${path} ${result.connections} ${result.connections}`);
  }
  await sleep(PAUSE_MS);
  const before = cpuTime(server.pid);
  const [status = '', seconds, p50, p99] = (await ask(load, `run ${server.port} ${path} ${SLICE} ${result.busy}`)).split(' ');
  await sleep(PAUSE_MS);
  figures.status = status;
  figures.cpu.push((cpuTime(server.pid) - before) / SLICE);
  figures.rate.push(SLICE / Number(seconds));
  figures.p50.push(Number(p50));
  figures.p99.push(Number(p99));
}

async function finish(load: NodeProcess, { result, server }: Lane): Promise<void> {
  result.memory.push(residentMemory(server.pid));
  await ask(load, `close ${server.port}`);
  await server.stop();
}

function ask(load: NodeProcess, line: string): Promise<string> {
  load.writeLine(line);
  return load.readLine();
}
