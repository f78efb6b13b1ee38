// Compares the CPU time for a request, the start and the memory of servers. They are measured in turn, each for a short
// time, so that a disturbance of the machine affects all of them alike.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, residentMemory } from '../../support/usage.ts';
import { openSocket } from './clients.ts';
import { startServer, type Programs } from './processes.ts';
import { figure, mean, median, table } from './report.ts';
import { FIRST_REPLY, IDLE, REQUESTS, USED, WAYS, type Measured, type Row } from './requests.ts';

const CLIENTS = 50; // with one request in progress each: then the server is busy for 98 % of the time
const WARM_UP_REQUESTS = 5_000; // in a round of the warm-up, which ends when figures have stopped falling:
const CALM_ROUNDS = 5; // with so many rounds since some server was faster than ever before,
const FASTER = 0.99; // by so much
const SLICE_REQUESTS = 5_000; // for one measurement, about 300 ms, and half as many right before it
const CONNECTING = 0.2; // so many times that if each has a connection of its own, because that takes longer
const SETTLE_MS = 5; // after requests, so that the server is idle when its CPU time is read
const STARTS = 5; // in each round

let lastAddress = 0;

/** Measures servers, and prints the figures: those of `base`, and of others as multiples of them. */
export async function printComparison(
  programs: Programs, base: string, isMeasured: (row: Row) => boolean, rounds: number,
): Promise<void> {
  const figures = new Map<string, Cost[]>(); // of a server and a row, in order
  const requests = REQUESTS.filter(isMeasured);
  const rows: readonly Row[] = [...requests, ...[FIRST_REPLY, IDLE, USED].filter(isMeasured)];
  const add = (program: string, { name }: Row, cost: Cost) =>
    figures.set(`${program}, ${name}`, [...figures.get(`${program}, ${name}`) ?? [], cost]);
  for (let round = 0; round < rounds; round += 1) {
    if (rows.includes(FIRST_REPLY)) await measureStarts(programs, add);
    for (const way of new Set(requests.map((request) => request.way))) {
      await measureRequests(programs, way, requests.filter((request) => request.way === way), add);
    }
  }
  const lines = rows.map((row) => [
    row.name, ...Object.keys(programs).map((program) => {
      const costs = figures.get(`${program}, ${row.name}`) ?? [];
      const [all, user] = [mean(costs.map(({ total }) => total)), mean(costs.map(({ user = NaN }) => user))];
      const parts = Number.isNaN(user) ? '' : `${user.toFixed(1)} + ${(all - user).toFixed(1)}  `;
      if (program === base) return parts + figure(median(costs.map(({ total }) => total)), 1);
      const ratios = costs.map(({ total }, i) => total / (figures.get(`${base}, ${row.name}`)?.[i]?.total ?? NaN));
      const bound = program === 'service' ? row[base === 'node' ? 'node' : 'before'] : undefined;
      return parts + figure(median(ratios), 2, bound);
    }),
  ]);
  console.log(`CPU time for a request in µs, user + system and, of ${base}, in all; of others, times that [bound]\n`);
  console.log(table([['', ...Object.keys(programs)], ...lines], 1));
}

/** CPU time for a request in microseconds, that in its own code (user) too, or another figure. */
type Cost = Readonly<{ total: number; user?: number }>;
type Add = (program: string, row: Row, cost: Cost) => void;

async function measureStarts(programs: Programs, add: Add): Promise<void> {
  for (let start = 0; start < STARTS; start += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const begin = performance.now();
      const { pid, stop } = await startServer(program);
      add(name, FIRST_REPLY, { total: performance.now() - begin });
      await sleep(SETTLE_MS);
      add(name, IDLE, { total: residentMemory(pid).now });
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
  await warmUp(running, requests);
  for (const [i, request] of [...requests, ...requests].entries()) { // the second time in the opposite order
    for (const server of i < requests.length ? running : running.toReversed()) {
      await sendMany(server, request, SLICE_REQUESTS / 2); // not measured: the caches are filled by the one before
      add(server.name, request, await costOf(server, request, SLICE_REQUESTS));
    }
  }
  for (const { name, pid, stop } of running) {
    if (way === 'plain') add(name, USED, { total: residentMemory(pid).now });
    stop();
  }
}

type Running = Readonly<{ pid: number; port: number; isTls: boolean; from: string; sockets: readonly Socket[] }>;

async function warmUp(servers: readonly Running[], requests: readonly Measured[]): Promise<void> {
  const least = new Map<Running, number>();
  for (let calm = 0; calm < CALM_ROUNDS; calm += 1) {
    for (const server of servers) {
      let cost = 0;
      for (const request of requests) cost += (await costOf(server, request, WARM_UP_REQUESTS / requests.length)).total;
      if (cost > FASTER * (least.get(server) ?? Infinity)) continue;
      least.set(server, cost);
      calm = 0;
    }
  }
}

async function costOf(server: Running, request: Measured, most: number): Promise<Cost> {
  const before = cpuTime(server.pid);
  const count = await sendMany(server, request, most);
  const after = cpuTime(server.pid);
  return { total: (after.total - before.total) / count, user: (after.user - before.user) / count };
}

// Sends requests on all connections, each when the reply to the one before has come, and returns how many. Without
// promises, this takes less CPU time than any server: they need not wait for it.
async function sendMany({ port, isTls, from, sockets }: Running, { request, isConnecting }: Measured, most: number) {
  const count = Math.ceil(isConnecting ? most * CONNECTING : most);
  let left = count;
  stayAwake(() => left > 0);
  await Promise.all(sockets.map((kept) => new Promise<void>((resolve, reject) => {
    const closed = () => reject(new Error('The server has closed a connection.'));
    function next(): void {
      left -= 1;
      if (left < 0) {
        kept.off('data', next).off('close', closed);
        resolve();
      } else if (isConnecting) connectNext();
      else kept.write(request);
    }
    function connectNext(): void {
      const socket = openSocket({ port, isTls, from }).on('close', closed);
      socket.write(request);
      socket.on('data', () => {
        socket.off('close', closed).destroy();
        next();
      });
    }
    kept.on('data', next).on('close', closed);
    next();
  })));
  await sleep(SETTLE_MS);
  return count;
}

// While clients wait for replies, they do not sleep: to wake them up would make a server's writes dearer.
function stayAwake(isNeeded: () => boolean): void {
  if (isNeeded()) setImmediate(stayAwake, isNeeded);
}
