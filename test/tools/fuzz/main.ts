// npm run fuzz: random clients for so many seconds, and a model of what must be true. The first round has the seed
// itself, the next one that plus 1, and so on: so the seed of a round that has failed repeats it.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { converse } from './client.ts';
import { planRound } from './generate.ts';
import { faultsIn } from './model.ts';
import { startService } from './server.ts';

const SAMPLE = 10; // rounds, of which the least counts
const GROWTH = { heapUsed: 8, arrayBuffers: 8, rss: 100 }; // in MiB, that may be, from the first ones to the last
const TICK_MS = 100;
const STUCK_TICKS = 50; // in which nothing happens, though this process runs: so it is not the machine that is slow
const KEPT = 2; // a connection and a request, by the last reader that has stopped (reader.ts)

const { seed, seconds } = parseArgs({
  options: { seed: { type: 'string', default: String(Date.now() % 1e9) }, seconds: { type: 'string', default: '20' } },
}).values;

console.log(`Node ${process.version}, seed ${seed}`);
const end = performance.now() + 1000 * Number(seconds);
const [faults, memory]: [string[], NodeJS.MemoryUsage[]] = [[], []];
let [own, replies] = [Number(seed), 0];
do {
  faults.push(...await runRound(own));
  await globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }); // V8 keeps 100 MiB free
  memory.push(process.memoryUsage());
  for (const name of ['heapUsed', 'arrayBuffers', 'rss'] as const) {
    const used = memory.map((one) => Math.round(one[name] / 2 ** 20));
    const [first, last] = [Math.min(...used.slice(0, SAMPLE)), Math.min(...used.slice(-SAMPLE))];
    if (last > first + GROWTH[name]) faults.push(`${name} has grown from ${first} to ${last} MiB`);
  }
  own += 1;
} while (faults.length === 0 && performance.now() < end);
console.log(`${memory.length} rounds, ${replies} replies, ${faults.length} faults`);
if (faults.length > 0) console.log([`npm run fuzz -- --seed ${own - 1} --seconds 0`, ...faults].join('\n'));
process.exit(Math.min(1, faults.length));

// Runs the round for this seed. Returns what was not as it must be.
async function runRound(roundSeed: number): Promise<readonly string[]> {
  const round = planRound(roundSeed);
  const service = await startService(round);
  const { faults: found, state, objects } = service;
  let awaited = 'the clients';

  // Rejects when nothing happens any more.
  async function watch(): Promise<void> {
    for (let [ticks, before] = [0, 0]; ticks < STUCK_TICKS; ticks = state.events === before ? ticks + 1 : 0) {
      before = state.events;
      await delay(TICK_MS);
      if (awaited === '') return;
    }
    throw new Error(`${awaited}: nothing happens any more`);
  }

  async function until(isSo: () => boolean): Promise<void> {
    do { // later: what was looked at stays in memory until then
      await delay(TICK_MS);
      globalThis.gc?.();
    } while (!isSo());
  }

  async function run(): Promise<void> {
    const talks = round.connections.map((one) => converse(one, service.to[one.over], service.touch));
    const sockets = await Promise.all(talks);
    awaited = 'what is open or runs';
    service.end.abort();
    await until(service.isIdle);
    for (const socket of sockets) socket.destroy();
    if (!service.hasAllSeats()) found.push('not all seats are free, or too many');
    awaited = 'the stop';
    await service.stop();
    awaited = 'what is remembered';
    await until(() => objects.filter((one) => one.deref() !== undefined).length <= KEPT);
    awaited = '';
  }

  await Promise.race([run(), watch()]).catch((error: unknown) => found.push(String(error)));
  replies += round.connections.flatMap((one) => one.replies).length;
  return [...found, ...faultsIn(round.connections, service.ends, state)];
}
