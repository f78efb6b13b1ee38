// npm run fuzz: random clients for so many seconds, and a model of what must be true. The first round has the seed
// itself, the next one that plus 1, and so on: so the seed of a round that has failed repeats it.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { tlsVariables } from '../../support/certificates.ts';
import { CLOSE, exchangeOn, get } from '../../support/exchange.ts';
import { converse, Received } from './client.ts';
import { planRound } from './generate.ts';
import { faultsIn } from './model.ts';
import { startService } from './server.ts';

const MIB = 2 ** 20;
const SAMPLE = 10; // rounds, of which the least counts
const GROWTH = { heapUsed: 8 * MIB, arrayBuffers: 8 * MIB, rss: 64 * MIB }; // that may be, from the first to the last
const GIVE_BACK = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const; // V8 keeps 100 MiB free
const TICK_MS = 100;
const STUCK_TICKS = 50; // in which nothing happens, though this process runs: so it is not the machine that is slow
const KEPT = 2; // a connection and a request, by the last reader that has stopped (reader.ts)

const { seed, seconds } = parseArgs({
  options: { seed: { type: 'string', default: String(Date.now() % 1e9) }, seconds: { type: 'string', default: '20' } },
}).values;
const { TLS_CERT_FILE, TLS_KEY_FILE } = tlsVariables();
const tls = { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) };

console.log(`Node ${process.version}, seed ${seed}`);
const end = performance.now() + 1000 * Number(seconds);
const [faults, memory]: [string[], NodeJS.MemoryUsage[]] = [[], []];
let [own, replies, honest] = [Number(seed), 0, 0];
do {
  const round = await runRound(own);
  faults.push(...round.faults);
  replies += round.replies;
  honest += round.honest;
  await globalThis.gc?.(GIVE_BACK);
  memory.push(process.memoryUsage());
  for (const name of ['heapUsed', 'arrayBuffers', 'rss'] as const) {
    const used = memory.map((one) => one[name]);
    const [first, last] = [Math.min(...used.slice(0, SAMPLE)), Math.min(...used.slice(-SAMPLE))];
    if (last > first + GROWTH[name]) faults.push(`${name} has grown from ${first} to ${last} bytes`);
  }
  own += 1;
} while (faults.length === 0 && performance.now() < end);
console.log(`${memory.length} rounds, ${replies} replies, ${honest} to the honest client; ${faults.length} faults`);
if (faults.length > 0) console.log([`npm run fuzz -- --seed ${own - 1} --seconds 0`, ...faults].join('\n'));
process.exit(Math.min(1, faults.length));

// Runs the round for this seed. Returns what was not as it must be, and how many replies came.
async function runRound(roundSeed: number) {
  const plan = planRound(roundSeed);
  const pairs = plan.connections.map((connection) => [connection, new Received()] as const);
  const shared = { session: undefined, sockets: new Array<Socket>() };
  const faults: string[] = [];
  let [events, honest, areClientsDone] = [0, 0, false];
  let cutting: NodeJS.Timeout | undefined;
  const service = await startService(plan, tls, touch);
  const { state, objects } = service;

  function touch(): void {
    events += 1;
    if (events !== plan.stopAfter || areClientsDone) return;
    state.isStopping = true;
    void service.stop();
    cutting = setTimeout(service.cut, plan.cutMs);
  }

  // Resolves when this has ended. Rejects if it never will, because nothing happens any more.
  async function endOf(what: string, promise: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = promise.then(() => { isOver = true; });
    for (let [ticks, before] = [0, events]; !isOver; ticks = events === before ? ticks + 1 : 0) {
      if (ticks === STUCK_TICKS) throw new Error(`${what}: nothing happens any more`);
      before = events;
      await Promise.race([over, delay(TICK_MS)]);
    }
  }

  // One request after the other, each on a connection of its own.
  async function beHonest(): Promise<void> {
    const isServing = () => !areClientsDone && !state.isStopping;
    for (; isServing(); honest += 1) {
      const socket = connect(service.addressOf('TCP', true, '127.0.0.1'));
      const [reply] = await exchangeOn(socket, get('/honest', CLOSE)).catch(() => []);
      if (reply?.status !== 204 && isServing()) return void faults.push('the honest client got no reply');
      await delay(1);
    }
  }

  async function until(isSo: () => boolean): Promise<void> {
    for (; !isSo(); globalThis.gc?.()) await delay(TICK_MS); // what was looked at stays in memory until then
  }

  async function run(): Promise<void> {
    const ofHonest = beHonest();
    await endOf('the clients', Promise.all(pairs.map(([connection, received]) => {
      const { over, takesOver, from } = connection;
      return converse(connection, service.addressOf(over, takesOver === undefined, from), shared, received, touch);
    })));
    areClientsDone = true;
    await endOf('the honest client', ofHonest);
    service.release();
    await endOf('what is open or runs', until(() => service.busy() === 0));
    clearTimeout(cutting);
    for (const socket of shared.sockets) socket.destroy();
    if (!service.hasAllSeats()) faults.push('not all seats are free, or too many');
    await endOf('the stop', service.stop());
    const isKept = (one: WeakRef<object>) => one.deref() !== undefined;
    await endOf('what is remembered', until(() => objects.filter(isKept).length <= KEPT));
  }

  await run().catch((error: unknown) => faults.push(String(error)));
  const replies = pairs.flatMap(([, received]) => received.replies).length;
  return { faults: [...faults, ...service.faults, ...faultsIn(pairs, { ...service, ...state })], replies, honest };
}
