// Compares the CPU time for a request and the memory of servers. They are measured in turn, each for a short time, so
// that a disturbance of the machine affects all of them alike.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from '../../support/exchange.ts';
import { cpuTime, residentMemory } from '../../support/usage.ts';
import { ask, openSocket } from './clients.ts';
import { startServer, type Programs } from './processes.ts';
import { figure, median, table } from './report.ts';

const CLIENTS = 50; // with one request in progress each: then the server is busy for 95 % of the time
const WARM_UP_ROUNDS = 10; // of 10,000 requests: enough for V8 to compile the code
const SLICE_REQUESTS = 2_500; // for one measurement, about 30 ms, and as many right before it
const SETTLE_MS = 5; // before and after a measurement, so that the server is idle when its CPU time is read

const PATHS = ['/health', '/api/greetings', '/api/greetings?name=Ada%20Lovelace', '/api/greetings?name=', '/nope'];
const COLUMNS = ['health', 'greeting', '?name=A', '400', '404', 'MiB'];
const CLOSE = ['Connection: close']; // with it, each request has a connection of its own
const SMALL_HEAP = ['--max-heap-size=64']; // new connections cost most where garbage is collected often
const BOUNDS: Bounds = { service: [1.30, 1.50, 1.65, 1.65, 1.25, 1.1], 'FAIR=false': [1.00, 1.15, 1.25, 1.35, 1.00] };
const CLOSE_BOUNDS: Bounds = { service: [2.3] };
/** What is sent, the flags of Node, and, on Node 24, the bounds of some servers in the order of the columns. */
const LOADS = [
  { name: 'Host only', fields: [], paths: PATHS, flags: [], bounds: BOUNDS }, // what load generators send
  { name: 'a connection each', fields: CLOSE, paths: ['/health'], flags: SMALL_HEAP, bounds: CLOSE_BOUNDS },
];

type Bounds = Readonly<Record<string, readonly number[]>>;
type Load = (typeof LOADS)[number];
type Measured = Map<string, number[]>; // the figures of a load, a server and a column, in order

/** Measures servers, one of which is the baseline, and prints the figures. */
export async function printComparison(programs: Programs, seconds: number): Promise<void> {
  const measured: Measured = new Map();
  const end = performance.now() + seconds * 1000; // no other round begins after it
  do {
    for (const load of LOADS) await measureRound(programs, load, measured);
  } while (performance.now() < end);

  const rows = LOADS.flatMap(({ name, bounds }) => Object.keys(programs).map((program) => [
    name, program, ...COLUMNS.map((column, i) => {
      const base = measured.get(`${name}, baseline, ${column}`) ?? [];
      const values = measured.get(`${name}, ${program}, ${column}`) ?? [];
      const ratios = values.map((value, j) => value / (base[j] ?? Number.NaN)); // measured one after the other
      const bound = process.version.startsWith('v24.') ? bounds[program]?.[i] : undefined;
      return figure(median(program === 'baseline' ? base : ratios), 2, bound, 0.1); // two runs differ by nearly as much
    }),
  ]));
  console.log('CPU time for a request, and memory after all. Baseline: µs and MiB; others: times that [bound]\n');
  console.log(table([['requests', 'server', ...COLUMNS], ...rows], 2));
}

// Each round starts new processes, because two of one program differ by some percent. All are warmed up in turn: after
// a second of waiting, a server is slower for a while. And with all paths: V8 discards code compiled for one alone.
async function measureRound(programs: Programs, { name, fields, paths, flags }: Load, measured: Measured) {
  const running = await Promise.all(Object.entries(programs).map(async ([program, how]) => {
    const { pid, port, stop } = await startServer(how, {}, flags);
    const sockets = Array.from({ length: CLIENTS }, () => (fields === CLOSE ? undefined : openSocket({ port })));
    return { pid, port, stop, sockets, row: `${name}, ${program}` };
  }));
  const requests = [...paths, ...paths].map((path) => requestBytes('GET', path, fields)); // each is measured twice
  for (const request of Array.from({ length: WARM_UP_ROUNDS }, () => requests).flat()) {
    for (const { port, sockets } of running) await sendMany(port, sockets, request, 1_000);
  }
  const add = (key: string, value: number) => measured.set(key, [...measured.get(key) ?? [], value]);
  for (const [i, request] of requests.entries()) {
    for (const { row, pid, port, sockets } of running) {
      await sendMany(port, sockets, request, SLICE_REQUESTS); // not measured: the caches are filled by the one before
      await sleep(SETTLE_MS);
      const before = cpuTime(pid);
      await sendMany(port, sockets, request, SLICE_REQUESTS);
      await sleep(SETTLE_MS);
      add(`${row}, ${COLUMNS[i % paths.length]}`, (cpuTime(pid) - before) / SLICE_REQUESTS);
    }
  }
  for (const { row, pid, stop } of running) {
    add(`${row}, MiB`, residentMemory(pid).now);
    stop();
  }
}

// Where a socket is undefined, each request has a new connection.
async function sendMany(port: number, sockets: readonly (Socket | undefined)[], request: string, count: number) {
  let left = count;
  await Promise.all(sockets.map(async (socket) => {
    while (left > 0) {
      left -= 1;
      const reply = await ask(socket ?? openSocket({ port }), request);
      if (reply === undefined) throw new Error('The server has closed a connection.');
    }
  }));
}
