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
/** On Node 24, the bounds of some servers, in the order of the columns. */
const BOUNDS: Readonly<Record<string, readonly number[]>> = {
  service: [1.30, 1.50, 1.65, 1.65, 1.25, 1.1],
  'FAIR=false': [1.00, 1.15, 1.25, 1.35, 1.00],
};

type Measured = Map<string, number[]>; // the figures of a server and a column, in order

/** Measures servers, one of which is the baseline, and prints the figures. */
export async function printComparison(programs: Programs, seconds: number): Promise<void> {
  const measured: Measured = new Map();
  const end = performance.now() + seconds * 1000; // no other round begins after it
  do await measureRound(programs, measured);
  while (performance.now() < end);

  const rows = Object.keys(programs).map((program) => [
    program, ...COLUMNS.map((column, i) => {
      const base = measured.get(`baseline, ${column}`) ?? [];
      const values = measured.get(`${program}, ${column}`) ?? [];
      const ratios = values.map((value, j) => value / (base[j] ?? Number.NaN)); // measured one after the other
      const bound = process.version.startsWith('v24.') ? BOUNDS[program]?.[i] : undefined;
      return figure(median(program === 'baseline' ? base : ratios), 2, bound, 0.1); // two runs differ by nearly as much
    }),
  ]);
  console.log('CPU time for a request, and memory after all. Baseline: µs and MiB; others: times that [bound]\n');
  console.log(table([['server', ...COLUMNS], ...rows], 1));
}

// Each round starts new processes, because two of one program differ by some percent. All are warmed up in turn: after
// a second of waiting, a server is slower for a while. And with all paths: V8 discards code compiled for one alone.
async function measureRound(programs: Programs, measured: Measured): Promise<void> {
  const running = await Promise.all(Object.entries(programs).map(async ([program, how]) => {
    const { pid, port, stop } = await startServer(how);
    return { program, pid, stop, sockets: Array.from({ length: CLIENTS }, () => openSocket({ port })) };
  }));
  const requests = [...PATHS, ...PATHS].map((path) => requestBytes('GET', path, [])); // each is measured twice
  for (const request of Array.from({ length: WARM_UP_ROUNDS }, () => requests).flat()) {
    for (const { sockets } of running) await sendMany(sockets, request, 1_000);
  }
  const add = (key: string, value: number) => measured.set(key, [...measured.get(key) ?? [], value]);
  for (const [i, request] of requests.entries()) {
    for (const { program, pid, sockets } of running) {
      await sendMany(sockets, request, SLICE_REQUESTS); // not measured: the caches are filled by the one before
      await sleep(SETTLE_MS);
      const before = cpuTime(pid);
      await sendMany(sockets, request, SLICE_REQUESTS);
      await sleep(SETTLE_MS);
      add(`${program}, ${COLUMNS[i % PATHS.length]}`, (cpuTime(pid) - before) / SLICE_REQUESTS);
    }
  }
  for (const { program, pid, stop } of running) {
    add(`${program}, MiB`, residentMemory(pid).now);
    stop();
  }
}

async function sendMany(sockets: readonly Socket[], request: string, count: number): Promise<void> {
  let left = count;
  await Promise.all(sockets.map(async (socket) => {
    while (left > 0) {
      left -= 1;
      const reply = await ask(socket, request);
      if (reply === undefined) throw new Error('The server has closed a connection.');
    }
  }));
}
