// Compares the CPU time for a request, the start and the memory of servers. They are measured in turn, each for a short
// time, so that a disturbance of the machine affects all of them alike.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, residentMemory } from '../../support/usage.ts';
import { ask, openSocket } from './clients.ts';
import { startServer, type Programs } from './processes.ts';
import { figure, median, table } from './report.ts';
import { FIRST_REPLY, IDLE, REQUESTS, USED, WAYS, type Measured, type Row } from './requests.ts';

const CLIENTS = 50; // with one request in progress each: then the server is busy for 95 % of the time
const WARM_UP_ROUNDS = 10; // of 10,000 requests: enough for V8 to compile the code
const SLICE_REQUESTS = 2_500; // for one measurement, about 30 ms, and as many right before it
const CONNECTING = 0.1; // so many times that if each has a connection of its own, because that takes longer
const SETTLE_MS = 5; // before and after a measurement, so that the server is idle when its CPU time is read
const STARTS = 5; // in each round

let lastAddress = 0;

/** Measures servers, and prints the figures: those of `base`, and of others as multiples of them. */
export async function printComparison(
  programs: Programs, base: string, isMeasured: (row: Row) => boolean, rounds: number,
): Promise<void> {
  const figures = new Map<string, number[]>(); // of a server and a row, in order
  const requests = REQUESTS.filter(isMeasured);
  const rows: readonly Row[] = [...requests, ...[FIRST_REPLY, IDLE, USED].filter(isMeasured)];
  const add = (program: string, { name }: Row, value: number) =>
    figures.set(`${program}, ${name}`, [...figures.get(`${program}, ${name}`) ?? [], value]);
  for (let round = 0; round < rounds; round += 1) {
    if (rows.includes(FIRST_REPLY)) await measureStarts(programs, add);
    for (const way of new Set(requests.map((request) => request.way))) {
      await measureRequests(programs, way, requests.filter((request) => request.way === way), add);
    }
  }
  const lines = rows.map((row) => [
    row.name, ...Object.keys(programs).map((program) => {
      const values = figures.get(`${program}, ${row.name}`) ?? [];
      if (program === base) return figure(median(values), 1);
      const ratios = values.map((value, i) => value / (figures.get(`${base}, ${row.name}`)?.[i] ?? Number.NaN));
      return figure(median(ratios), 2, program === 'service' ? row[base === 'node' ? 'node' : 'before'] : undefined);
    }),
  ]);
  console.log(`CPU time for a request in µs, and more, of ${base}; of others, times that [bound]\n`);
  console.log(table([['', ...Object.keys(programs)], ...lines], 1));
}

type Add = (program: string, row: Row, value: number) => void;

async function measureStarts(programs: Programs, add: Add): Promise<void> {
  for (let start = 0; start < STARTS; start += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const begin = performance.now();
      const { pid, stop } = await startServer(program);
      add(name, FIRST_REPLY, performance.now() - begin);
      await sleep(SETTLE_MS);
      add(name, IDLE, residentMemory(pid).now);
      stop();
    }
  }
}

// Each round starts new processes, because two of one program differ by some percent. All are warmed up in turn: after
// a second of waiting, a server is slower for a while. And with all requests: V8 discards code compiled for one alone.
async function measureRequests(programs: Programs, way: keyof typeof WAYS, requests: readonly Measured[], add: Add) {
  const fit = Object.entries(programs).filter(([, { isPlain = false }]) => way !== 'tls' || !isPlain);
  const running = await Promise.all(fit.map(async ([name, program]) => {
    const { pid, stop, port, isTls } = await startServer(program, WAYS[way]);
    lastAddress += 1;
    const from = `127.0.1.${lastAddress}`; // each process has its own: from one, the kernel would run out of ports
    const sockets = Array.from({ length: CLIENTS }, () => openSocket({ port, isTls, from }));
    return { name, pid, stop, port, isTls, from, sockets };
  }));
  for (const request of Array.from({ length: WARM_UP_ROUNDS }, () => requests).flat()) {
    for (const server of running) await sendMany(server, request, Math.ceil(10_000 / requests.length));
  }
  for (const [i, request] of [...requests, ...requests].entries()) { // the second time in the opposite order
    for (const server of i < requests.length ? running : running.toReversed()) {
      await sendMany(server, request, SLICE_REQUESTS); // not measured: the caches are filled by the one before
      await sleep(SETTLE_MS);
      const before = cpuTime(server.pid);
      const count = await sendMany(server, request, SLICE_REQUESTS);
      await sleep(SETTLE_MS);
      add(server.name, request, (cpuTime(server.pid) - before) / count);
    }
  }
  for (const { name, pid, stop } of running) {
    if (way === 'plain') add(name, USED, residentMemory(pid).now);
    stop();
  }
}

type Running = Readonly<{ port: number; isTls: boolean; from: string; sockets: readonly Socket[] }>;

// Returns how many requests it has sent.
async function sendMany({ port, isTls, from, sockets }: Running, { request, isConnecting }: Measured, most: number) {
  const count = isConnecting ? Math.ceil(most * CONNECTING) : most;
  let left = count;
  await Promise.all(sockets.map(async (kept) => {
    while (left > 0) {
      left -= 1;
      const socket = isConnecting ? openSocket({ port, isTls, from }) : kept;
      const reply = await ask(socket, request);
      if (isConnecting) socket.destroy();
      if (reply === undefined) throw new Error('The server has closed a connection.');
    }
  }));
  return count;
}
