// Compares the service with the baseline, for `npm run bench`. Servers are measured in turn, each for a short time, so that a disturbance
// of the machine affects all of them alike. A ratio is that of a server to the first one, the baseline.
import { requestBytes } from '../../support/exchange.ts';
import type { Environment } from '../../support/process.ts';
import { residentMemory } from '../../support/usage.ts';
import { BOUNDS, judge, TOLERANCE } from './bounds.ts';
import { openLoad, type Load } from './load.ts';
import { cpuTimeOf, startServer, type Server, type Servers } from './processes.ts';
import { ask, BROWSER, HEALTH, openReady } from './requests.ts';
import { median, medianRatio, percentile, printTooHigh, table } from './tables.ts';

const TIME_MS = 110_000; // no other round begins after it
const STARTS = 30;
const WARM_UP_ROUNDS = 100; // 100,000 requests: enough for V8 to compile the code
const WARM_UP_REQUESTS = 1000; // for one path, before the next path
const SLICE_REQUESTS = 2500; // for one measurement, about 30 ms, and as many right before it
const SLICES = 2; // of each path in a round
const JUDGED_LINE = /^v24\./; // of Node

/** What servers are asked for, and how the tables call that. */
type Comparison = {
  readonly label: string;
  readonly fields: readonly string[]; // of each request, beside Host
  readonly paths: readonly string[];
  readonly env: Environment;
  /** How long nothing is sent before and after a measurement, so that the server is idle when its CPU time is read. */
  readonly settleMs: number;
};

const GREETINGS = '/api/greetings';
const PATHS = ['/health', GREETINGS, '/api/greetings?name=Ada%20Lovelace', '/api/greetings?name=', '/nope'];
const COMPARISONS: readonly Comparison[] = [
  { label: 'Host only', fields: [], paths: PATHS, env: {}, settleMs: 5 }, // as load generators send it
  { label: 'browser', fields: BROWSER, paths: PATHS, env: {}, settleMs: 5 },
  // The service writes a line of the access log up to 50 ms after the reply, so the measurement waits for longer. What a
  // process does when it is idle is then also measured, for the baseline as well, which has no log.
  { label: 'access log', fields: BROWSER, paths: [GREETINGS], env: { ACCESS_LOG: 'true' }, settleMs: 60 },
];

/** The values of each server, by the name of the figure. Those of two servers at the same index were measured one after the other. */
type Figures = Map<string, Map<string, number[]>>;

/** Measures the servers, and prints the figures. On Node 24 the process will exit with 1 when a figure of the service is too high. */
export async function printComparison(servers: Servers): Promise<void> {
  const figures: Figures = new Map();
  const end = performance.now() + TIME_MS;
  do {
    for (const comparison of COMPARISONS) await measureRound(servers, comparison, figures);
  } while (performance.now() < end);
  await measureStarts(servers, figures);

  const ratios = new Map<string, number>();
  const rows: string[][] = [];
  for (const [name, ofServers] of figures) {
    const baseline = ofServers.get('baseline') ?? [];
    for (const [server, values] of ofServers) {
      const ratio = medianRatio(values, baseline);
      rows.push([name, server, String(values.length), median(values).toFixed(2), ratio.toFixed(2)]);
      if (server === 'service') ratios.set(name, ratio);
    }
  }
  console.log('CPU: µs for a request; latency and start: ms; memory: MiB\n');
  console.log(table([['figure', 'server', 'measured', 'median', 'ratio'], ...rows], 2));
  if (JUDGED_LINE.test(process.version)) printTooHigh(judge(ratios, BOUNDS, TOLERANCE));
}

function add(figures: Figures, name: string, server: string, value: number): void {
  const ofServers = figures.get(name) ?? new Map<string, number[]>();
  figures.set(name, ofServers.set(server, [...ofServers.get(server) ?? [], value]));
}

type Running = { readonly name: string; readonly server: Server; readonly load: Load };

// Each round starts new processes, because two processes of one program differ by some percent: by the addresses of their memory, and by
// the moments when V8 compiled their code. All servers are warmed up in turn, so that none waits meanwhile: after a second of waiting, a
// server is slower for thousands of requests. All paths are used from the start, because V8 discards code compiled for one of them alone.
async function measureRound(servers: Servers, { label, fields, paths, env, settleMs }: Comparison, figures: Figures): Promise<void> {
  const all: Running[] = [];
  for (const [name, script] of servers) {
    const server = await startServer(script, env);
    all.push({ name, server, load: await openLoad(server.port) });
  }

  async function measureSlice({ name, server, load }: Running, path: string): Promise<void> {
    const request = requestBytes('GET', path, fields);
    await load.run(request, SLICE_REQUESTS); // not measured: the CPU's caches are still filled by the server before it
    const { cpu, done } = await cpuTimeOf(server, settleMs, () => load.run(request, SLICE_REQUESTS));
    add(figures, `CPU, ${label}, ${path}`, name, cpu / SLICE_REQUESTS);
    add(figures, `p99 latency, ${label}`, name, percentile(done, 99));
  }

  for (let round = 0; round < WARM_UP_ROUNDS / paths.length; round += 1) {
    for (const path of paths) for (const { load } of all) await load.run(requestBytes('GET', path, fields), WARM_UP_REQUESTS);
  }
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const path of paths) for (const one of all) await measureSlice(one, path);
  }
  for (const { name, server, load } of all) {
    add(figures, `memory, ${label}`, name, residentMemory(server.pid));
    load.close();
    await server.stop();
  }
}

/** Starts each server several times, in turn, and measures how many ms it takes from the creation of the process to its first reply. */
async function measureStarts(servers: Servers, figures: Figures): Promise<void> {
  for (let round = 0; round < STARTS; round += 1) {
    for (const [name, script] of servers) {
      const begin = performance.now();
      const { port, stop } = await startServer(script);
      const socket = await openReady({ port, isTls: false });
      await ask(socket, HEALTH);
      add(figures, 'start', name, performance.now() - begin);
      socket.destroy();
      await stop();
    }
  }
}
