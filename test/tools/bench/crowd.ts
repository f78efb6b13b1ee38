// Measures servers with a crowd: how long honest clients wait meanwhile, what is lost at the stop, and what a new connection costs.
import type { Socket } from 'node:net';
import { tlsVariables } from '../../support/certificates.ts';
import type { Environment } from '../../support/process.ts';
import { measureBeside, startAttackers } from './beside.ts';
import { FULL_HOUSE_BOUND, judge, LOSS_BOUND, type Verdict } from './bounds.ts';
import { CROWDS, judgeCrowd, WAITS_HEADER, waitsRows } from './crowds.ts';
import { ALL } from './honest.ts';
import { countLost, LOSS_CASES, PLACES, REQUESTS_AT_ONCE } from './loss.ts';
import { cpuTimeOf, namesThatStart, startServer, type Servers } from './processes.ts';
import { ask, HEALTH, loopbackAddress, openReady } from './requests.ts';
import { printTooHigh, table } from './tables.ts';

const FULL_HOUSE = 'full house';
const MANY_PLACES = 9_000;
const NEW_CONNECTIONS = 500;
const WARM_UP = 200;
const SETTLE_MS = 20;

/**
 * Measures the servers with each crowd whose name starts with `only`, for `seconds`, and prints the figures. The process will exit
 * with 1 when one of the service is above its bound.
 */
export async function printCrowd(servers: Servers, only: string, seconds: number): Promise<void> {
  const names = namesThatStart([...CROWDS.keys(), ...LOSS_CASES.keys(), FULL_HOUSE], only);
  const env = tlsVariables();
  const verdicts = [...await printWaits(servers, names, env, seconds), ...await printLoss(servers, names, env)];
  if (names.includes(FULL_HOUSE)) verdicts.push(...await printFullHouse(servers));
  printTooHigh(verdicts);
}

async function printWaits(servers: Servers, names: readonly string[], env: Environment, seconds: number): Promise<Verdict[]> {
  const waits: string[][] = [], crowds: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const [name, crowd] of CROWDS) {
    if (!names.includes(name)) continue;
    for (const [server, script] of servers) {
      const started = await startServer(script, { MAX_CONNECTIONS: '3000', ...env }, [`--max-heap-size=${crowd.heap}`]);
      const attackers = await startAttackers(started, crowd.groups);
      const outcome = { name, crowd, server, ...await measureBeside(started, attackers, ALL, seconds) };
      attackers.stop();
      await started.stop();
      waits.push(...waitsRows(outcome));
      crowds.push([name, server, `${crowd.heap} MiB`, outcome.rate.toFixed(0), outcome.peak.toFixed(0), outcome.lives ? 'yes' : 'no']);
      if (server === 'service') verdicts.push(...judgeCrowd(outcome));
    }
  }
  if (waits.length === 0) return [];
  console.log(`Median waits in ms of honest clients, ${seconds} s for each crowd and server\n`);
  console.log(table([WAITS_HEADER, ...waits], 4));
  console.log(table([['crowd', 'server', 'heap', 'replies/s', 'peak MiB', 'lives'], ...crowds], 3));
  return verdicts;
}

async function printLoss(servers: Servers, names: readonly string[], env: Environment): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const rows: string[][] = [];
  for (const [name, lossCase] of LOSS_CASES) {
    if (!names.includes(name)) continue;
    for (const [server, script] of servers) {
      let lost = 0;
      for (let time = 0; time < lossCase.times; time += 1) {
        const started = await startServer(script, { MAX_CONNECTIONS: String(PLACES), ...env });
        lost += await countLost(started, lossCase);
        await started.stop();
      }
      rows.push([name, server, String(lossCase.times * REQUESTS_AT_ONCE), String(lost)]);
      if (server === 'service') verdicts.push(...judge(new Map([['lost', lost]]), LOSS_BOUND, 0, `${name}: `));
    }
  }
  if (rows.length > 0) console.log(table([['requests', 'server', 'sent', 'lost'], ...rows], 2));
  return verdicts;
}

/** What a new connection and its request cost when all places are taken, each by another address: one that is idle is closed for it. */
async function printFullHouse(servers: Servers): Promise<Verdict[]> {
  const costs = new Map<string, number>();
  for (const [name, script] of servers) {
    const server = await startServer(script, { MAX_CONNECTIONS: String(MANY_PLACES) });
    const sockets: Socket[] = [];
    async function open(count: number): Promise<void> {
      for (let i = 0; i < count; i += 1) {
        const socket = await openReady({ port: server.port, isTls: false, from: loopbackAddress(sockets.length) });
        sockets.push(socket);
        await ask(socket, HEALTH);
      }
    }
    await open(MANY_PLACES + WARM_UP);
    const { cpu } = await cpuTimeOf(server, SETTLE_MS, () => open(NEW_CONNECTIONS));
    costs.set(name, cpu / NEW_CONNECTIONS / 1000);
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
  const rows = Array.from(costs, ([server, cost]) => [server, cost.toFixed(2)]);
  console.log(table([[`a new connection to a server with ${MANY_PLACES} of as many addresses`, 'CPU ms'], ...rows], 1));
  return judge(new Map([['CPU ms', costs.get('service') ?? Number.NaN]]), FULL_HOUSE_BOUND, 0, `${FULL_HOUSE}: `);
}
