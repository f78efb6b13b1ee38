// Whether a request gets dearer as connections are added, or as the process gets older.
import { race, SETTLED, type Runner } from './race.ts';
import { figureTable, requestTable } from './report.ts';

const PATHS = ['/api/greetings'];

/** Prints both tables. Fifty requests are under way at a time, on all connections in turn. */
export async function printGrowth(script: string): Promise<void> {
  const runner = (name: string, change: Partial<Runner>): Runner => ({ name, script, connections: 50, warmUp: SETTLED, ...change });

  const connections = [50, 1, 500, 2000].map((count) => runner(`${count} connections`, { connections: count }));
  console.log(requestTable(await race(connections, PATHS, 10)));

  const ages = await race([runner('fresh', {}), runner('after 500,000 requests', { warmUp: 500_000 })], PATHS, 6);
  console.log(requestTable(ages));
  console.log(figureTable('memory, MiB', new Map(ages.map(({ name, memory }) => [name, memory]))));
}
