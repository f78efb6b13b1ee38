// Measures whether a request costs more with more connections, or in an older process.
import { measure } from './measure.ts';
import { setup, type Comparison, type Setup } from './setup.ts';
import { memoryTable, requestTable } from './tables.ts';

const TIME_MS = 25_000; // of each comparison; no other round begins after it

/** Prints the cost of a request by number of connections, and for the service by age of the process. */
export async function printGrowth(floor: string, service: string): Promise<void> {
  console.log(requestTable(await measure([byConnections('floor', floor)], TIME_MS)));
  console.log(requestTable(await measure([byConnections('service', service)], TIME_MS)));

  const fresh = setup('fresh', service);
  const old = { ...fresh, name: 'after 500,000 requests', warmUp: 500_000 };
  const ages = await measure([comparison([fresh, old])], TIME_MS);
  console.log(requestTable(ages));
  console.log(memoryTable(ages));
}

function byConnections(name: string, script: string): Comparison {
  const withConnections = (connections: number, active: number, rest = ''): Setup => ({
    ...setup(`${name}, connections: ${connections}${rest}`, script), connections, active,
  });
  const setups = [
    withConnections(50, 50),
    withConnections(1, 1), // every request wakes the process; with 50 connections one wake-up serves about ten requests
    withConnections(500, 50, ', 50 active'),
    withConnections(2000, 50, ', 50 active'),
    withConnections(2000, 2000, ', all active'), // more data than the caches of a CPU hold, including the data of the kernel
  ];
  return comparison(setups);
}

function comparison(setups: readonly Setup[]): Comparison {
  return { label: 'Host only', requestKind: 'Host only', paths: ['/api/greetings'], setups };
}
