// Measures whether a request costs more with more connections, or in an older process.
import { measure } from './measure.ts';
import { setup, type Comparison, type Setup } from './setup.ts';
import { memoryTable, requestTable } from './tables.ts';

const PATHS = ['/api/greetings'];
const ROUNDS = 3;

/** Prints the cost of a request by number of connections, and for the service by age of the process. */
export async function printGrowth(floor: string, service: string): Promise<void> {
  console.log(requestTable(await measure([byConnections('floor', floor)], ROUNDS)));
  console.log(requestTable(await measure([byConnections('service', service)], ROUNDS)));

  const fresh = setup('fresh', service, PATHS);
  const old = { ...fresh, name: 'after 500,000 requests', warmUp: 500_000 };
  const ages = await measure([{ requestKind: 'Host only', paths: PATHS, setups: [fresh, old] }], ROUNDS);
  console.log(requestTable(ages));
  console.log(memoryTable(ages));
}

function byConnections(name: string, script: string): Comparison {
  const withConnections = (connections: number, active: number, rest = ''): Setup => ({
    ...setup(`${name}, connections: ${connections}${rest}`, script, PATHS), connections, active,
  });
  const setups = [
    withConnections(50, 50),
    withConnections(1, 1), // every request wakes the process; with 50 connections one wake-up serves about ten requests
    withConnections(500, 50, ', 50 active'),
    withConnections(2000, 50, ', 50 active'),
    withConnections(2000, 2000, ', all active'), // more data than the caches of a CPU hold, including the data of the kernel
  ];
  return { requestKind: 'Host only', paths: PATHS, setups };
}
