// Compares the service with the baseline, for `npm run bench`. Servers are measured in turn, each for a short time, so that a disturbance
// of the machine affects all of them alike. A ratio is that of a server to the first one, the baseline.
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from '../../support/exchange.ts';
import { cpuTime, residentMemory } from '../../support/usage.ts';
import { BOUNDS, judge, TOLERANCE } from './bounds.ts';
import { openLoad, type Load } from './load.ts';
import { startServer, type Server, type Servers } from './processes.ts';
import { ask, BROWSER, openReady } from './requests.ts';
import { median, printTooHigh, table } from './tables.ts';

const STARTS = 30;
const WARM_UP_ROUNDS = 20; // 100,000 requests: enough for V8 to compile the code
const WARM_UP_REQUESTS = 1000; // for one path, before the next path
const SLICE_REQUESTS = 2500; // for one measurement, about 30 ms, and as many right before it
const SLICES = 2; // of each path in a round
const SETTLE_MS = 5; // nothing is sent before and after a measurement, so that the server is idle when its CPU time is read
const JUDGED_LINE = /^v24\./; // of Node

const PATHS = ['/health', '/api/greetings', '/api/greetings?name=Ada%20Lovelace', '/api/greetings?name=', '/nope'];
/** The fields of each request, by what the tables call them. The first is what load generators send. */
const HEADS: ReadonlyMap<string, readonly string[]> = new Map([['Host only', []], ['browser', BROWSER]]);

/** A figure of the server with this name. The values of a figure at the same index, of two servers, were measured one after the other. */
type Measured = { readonly figure: string; readonly name: string; readonly value: number };

/** Measures the servers, and prints the figures. On Node 24 the process will exit with 1 when a figure of the service is too high. */
export async function printComparison(servers: Servers, seconds: number): Promise<void> {
  const measured: Measured[] = [];
  const end = performance.now() + seconds * 1000; // no other round begins after it
  do {
    for (const [head, fields] of HEADS) measured.push(...await measureRound(servers, head, fields));
  } while (performance.now() < end);
  measured.push(...await measureStarts(servers));

  const ratios = new Map<string, number>();
  const rows: string[][] = [];
  for (const figure of new Set(measured.map((one) => one.figure))) {
    const valuesOf = (server: string) => measured.filter((one) => one.figure === figure && one.name === server).map(({ value }) => value);
    const baseline = valuesOf('baseline');
    for (const server of servers.keys()) {
      const values = valuesOf(server);
      const ratio = median(values.map((value, i) => value / (baseline[i] ?? Number.NaN)));
      rows.push([figure, server, String(values.length), median(values).toFixed(2), ratio.toFixed(2)]);
      if (server === 'service') ratios.set(figure, ratio);
    }
  }
  console.log('CPU: µs for a request; start: ms; memory: MiB\n');
  console.log(table([['figure', 'server', 'measured', 'median', 'ratio'], ...rows], 2));
  if (JUDGED_LINE.test(process.version)) printTooHigh(judge(ratios, BOUNDS, '', TOLERANCE));
}

// Each round starts new processes, because two processes of one program differ by some percent: by the addresses of their memory, and by
// the moments when V8 compiled their code. All servers are warmed up in turn, so that none waits meanwhile: after a second of waiting, a
// server is slower for thousands of requests. All paths are used from the start, because V8 discards code compiled for one of them alone.
async function measureRound(servers: Servers, head: string, fields: readonly string[]): Promise<Measured[]> {
  const all: { readonly name: string; readonly server: Server; readonly load: Load }[] = [];
  for (const [name, script] of servers) {
    const server = await startServer(script);
    all.push({ name, server, load: await openLoad(server.port) });
  }
  const requests = new Map(PATHS.map((path) => [path, requestBytes('GET', path, fields)]));
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const request of requests.values()) for (const { load } of all) await load.run(request, WARM_UP_REQUESTS);
  }
  const measured: Measured[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const [path, request] of requests) {
      for (const { name, server, load } of all) {
        await load.run(request, SLICE_REQUESTS); // not measured: the CPU's caches are still filled by the server before it
        await sleep(SETTLE_MS);
        const before = cpuTime(server.pid);
        await load.run(request, SLICE_REQUESTS);
        await sleep(SETTLE_MS);
        measured.push({ figure: `CPU, ${head}, ${path}`, name, value: (cpuTime(server.pid) - before) / SLICE_REQUESTS });
      }
    }
  }
  for (const { name, server, load } of all) {
    measured.push({ figure: `memory, ${head}`, name, value: residentMemory(server.pid).now });
    load.close();
    await server.stop();
  }
  return measured;
}

/** Starts each server several times, in turn, and measures how many ms it takes from the creation of the process to its first reply. */
async function measureStarts(servers: Servers): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    for (const [name, script] of servers) {
      const begin = performance.now();
      const { port, stop } = await startServer(script);
      const socket = await openReady({ port, isTls: false });
      await ask(socket, requestBytes('GET', '/health'));
      measured.push({ figure: 'start', name, value: performance.now() - begin });
      socket.destroy();
      await stop();
    }
  }
  return measured;
}
