// Compares the CPU time for a request, the start and the memory of servers, in turn: so disturbances affect all alike.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, residentMemory } from '../../support/usage.ts';
import { openSocket, type Address } from './clients.ts';
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
const USER = ', user'; // after the name of a request: the part of its CPU time in code of the server's own

const figures = new Map<string, number[]>(); // of a server and a row, in order
const of = (program: string, row: string) => figures.get(`${program}, ${row}`) ?? [];
const add = (program: string, row: string, value: number) =>
  figures.set(`${program}, ${row}`, [...of(program, row), value]);

/** Measures servers, of which `node` is one, and prints its figures, and those of others as multiples of them. */
export async function printComparison(programs: Programs, isMeasured: (row: Row) => boolean, rounds: number) {
  const requests = REQUESTS.filter(isMeasured);
  for (let round = 0; round < rounds; round += 1) {
    if (isMeasured(FIRST_REPLY) || isMeasured(IDLE)) await measureStarts(programs);
    for (const way of ['plain', 'logging', 'tls'] as const) {
      await measureRequests(programs, way, requests.filter((request) => (request.way ?? 'plain') === way));
    }
  }
  const timed = requests.flatMap(({ name, bound }) => [{ name, bound }, { name: `${name}${USER}`, bound: undefined }]);
  const lines = [...timed, ...[FIRST_REPLY, IDLE, USED].filter(isMeasured)].map(({ name, bound }) => [
    name, ...Object.keys(programs).map((program) => {
      if (program === 'node') return figure(median(of('node', name)), 1);
      const ratios = of(program, name).map((value, i) => value / (of('node', name)[i] ?? NaN));
      // User time is counted by 10 ms, so the median would be coarse.
      const ratio = name.endsWith(USER) ? mean(of(program, name)) / mean(of('node', name)) : median(ratios);
      return figure(ratio, 2, program === 'service' ? bound : undefined);
    }),
  ]);
  console.log('CPU time of node for a request in µs, and how many times that others take [bound]\n');
  console.log(table([['', ...Object.keys(programs)], ...lines], 1));
}

async function measureStarts(programs: Programs): Promise<void> {
  for (let start = 0; start < STARTS; start += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const begin = performance.now();
      const { pid, stop } = await startServer(program);
      add(name, FIRST_REPLY.name, performance.now() - begin);
      await sleep(SETTLE_MS);
      add(name, IDLE.name, residentMemory(pid).now);
      stop();
    }
  }
}

type Running = Readonly<{ pid: number; address: Address; sockets: readonly Socket[] }>;

// Each round starts new processes, because two of one program differ by some percent. All are warmed up in turn: after
// a second of waiting, a server is slower for a while. And with all requests: V8 discards code compiled for one alone.
async function measureRequests(programs: Programs, way: keyof typeof WAYS, requests: readonly Measured[]) {
  if (requests.length === 0) return;
  const fit = Object.entries(programs).filter(([, { isPlain = false }]) => way !== 'tls' || !isPlain);
  const running = await Promise.all(fit.map(async ([name, program], i) => {
    const server = await startServer(program, WAYS[way]);
    // Each has an address of clients of its own: from one, the kernel would run out of ports.
    const address = { port: server.port, isTls: way === 'tls', from: `127.0.1.${i + 1}` };
    return { ...server, name, address, sockets: Array.from({ length: CLIENTS }, () => openSocket(address)) };
  }));
  await warmUp(running, requests);
  for (const [i, request] of [...requests, ...requests].entries()) { // the second time in the opposite order
    for (const server of i < requests.length ? running : running.toReversed()) {
      await sendMany(server, request, SLICE_REQUESTS / 2); // not measured: the caches are filled by the one before
      const { total, user } = await costOf(server, request, SLICE_REQUESTS);
      add(server.name, request.name, total);
      add(server.name, `${request.name}${USER}`, user);
    }
  }
  for (const { name, pid, stop } of running) {
    if (way === 'plain') add(name, USED.name, residentMemory(pid).now);
    stop();
  }
}

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

async function costOf(server: Running, request: Measured, most: number) {
  const before = cpuTime(server.pid);
  const count = await sendMany(server, request, most);
  const after = cpuTime(server.pid);
  return { total: (after.total - before.total) / count, user: (after.user - before.user) / count };
}

// Sends requests on all connections, each when the reply to the one before has come, and returns how many. Without
// promises, this takes less CPU time than any server: they need not wait for it.
async function sendMany({ address, sockets }: Running, { request, isConnecting = false }: Measured, most: number) {
  const count = Math.ceil(isConnecting ? most * CONNECTING : most);
  let left = count;
  stayAwake(() => left > 0);
  await Promise.all(sockets.map((kept) => new Promise<void>((resolve, reject) => {
    const closed = () => reject(new Error('The server has closed a connection.'));
    function next(): void {
      left -= 1;
      if (left < 0) return resolve();
      const socket = isConnecting ? openSocket(address) : kept;
      socket.once('close', closed).once('data', () => {
        socket.off('close', closed);
        if (isConnecting) socket.destroy();
        next();
      });
      socket.write(request);
    }
    next();
  })));
  await sleep(SETTLE_MS);
  return count;
}

// While clients wait for replies, they do not sleep: to wake them up would make a server's writes dearer.
function stayAwake(isNeeded: () => boolean): void {
  if (isNeeded()) setImmediate(stayAwake, isNeeded);
}
