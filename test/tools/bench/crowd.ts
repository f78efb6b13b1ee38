// Measures servers with a crowd: how long honest clients wait beside it, what is lost at the stop, and what a new connection costs.
import { measureBeside, startAttackers } from './beside.ts';
import { FULL_HOUSE_BOUND, judge, LOSS_BOUND, type Verdict } from './bounds.ts';
import { tlsEnvironment } from './certificate.ts';
import { CROWD_LOADS, LOSS_CASES, type CrowdLoad } from './crowd-loads.ts';
import { judgeCrowd, loadsTable, waitsByKindTable, type CrowdOutcome } from './crowd-tables.ts';
import { fullHouseCost, PLACES } from './full-house.ts';
import { countLost } from './loss.ts';
import { namesThatStart } from './names.ts';
import { requireOpenFiles } from './open-files.ts';
import { startServer, type Environment } from './processes.ts';
import { table } from './tables.ts';
import { printVerdicts } from './verdicts.ts';

const FULL_HOUSE = 'full house';
const SERVER_ENV = { MAX_CONNECTIONS: '3000' };

/**
 * Measures the servers, by name, with each crowd whose name starts with `only`, for so many seconds, and prints the figures. The process
 * will exit with 1 when one of the service is above its bound.
 */
export async function printCrowd(servers: ReadonlyMap<string, string>, only: string, seconds: number): Promise<void> {
  const names = namesThatStart([...CROWD_LOADS.keys(), ...LOSS_CASES.keys(), FULL_HOUSE], only);
  requireOpenFiles(names.includes(FULL_HOUSE) ? PLACES + 1_000 : 3_000);
  const tlsEnv = tlsEnvironment();
  printVerdicts([
    ...await printWaits(servers, names, tlsEnv, seconds), ...await printLoss(servers, names, tlsEnv),
    ...(names.includes(FULL_HOUSE) ? await printFullHouse(servers) : []),
  ]);
}

async function printWaits(
  servers: ReadonlyMap<string, string>, names: readonly string[], tlsEnv: Environment, seconds: number,
): Promise<Verdict[]> {
  const outcomes: CrowdOutcome[] = [];
  for (const [name, load] of CROWD_LOADS) {
    if (!names.includes(name)) continue;
    for (const [server, script] of servers) outcomes.push({ name, load, server, ...await measureLoad(script, load, tlsEnv, seconds) });
  }
  if (outcomes.length === 0) return [];
  console.log(`Median waits in ms of honest clients, ${seconds} s for each crowd and server\n`);
  console.log(waitsByKindTable(outcomes));
  console.log(loadsTable(outcomes));
  return outcomes.filter(({ server }) => server === 'service').flatMap(judgeCrowd);
}

async function measureLoad(script: string, { groups, heap }: CrowdLoad, tlsEnv: Environment, seconds: number) {
  const server = await startServer(script, { ...SERVER_ENV, ...tlsEnv }, [heap], ['http', 'https']);
  const attackers = await startAttackers(server, groups);
  const beside = await measureBeside(server, attackers, 'all', seconds);
  await attackers.stop();
  await server.stop();
  return beside;
}

async function printLoss(servers: ReadonlyMap<string, string>, names: readonly string[], tlsEnv: Environment): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const rows: string[][] = [];
  for (const [name, lossCase] of LOSS_CASES) {
    if (!names.includes(name)) continue;
    for (const [server, script] of servers) {
      const { sent, lost } = await countLost(script, tlsEnv, lossCase);
      rows.push([name, server, String(sent), String(lost)]);
      if (server === 'service') verdicts.push(...judge(new Map([['lost', lost]]), LOSS_BOUND, 0, `${name}: `));
    }
  }
  if (rows.length > 0) console.log(table([['requests', 'server', 'sent', 'lost'], ...rows], 2));
  return verdicts;
}

async function printFullHouse(servers: ReadonlyMap<string, string>): Promise<Verdict[]> {
  const costs = new Map<string, number>();
  for (const [server, script] of servers) costs.set(server, await fullHouseCost(script));
  const rows = Array.from(costs, ([server, cost]) => [server, cost.toFixed(2)]);
  console.log(table([[`a new connection to a server with ${PLACES} of as many addresses`, 'CPU ms'], ...rows], 1));
  return judge(new Map([['CPU ms', costs.get('service') ?? Number.NaN]]), FULL_HOUSE_BOUND, 0, `${FULL_HOUSE}: `);
}
