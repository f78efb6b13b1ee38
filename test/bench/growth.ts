// Whether a request gets dearer as connections are added, or as the process gets older.
import { race, runner, type Runner } from './race.ts';
import { figureTable, requestTable } from './report.ts';

const PATHS = ['/api/greetings'];
const ROUNDS = 3;

/** Prints what the floor and the service pay for connections, and the service for its age. */
export async function printGrowth(floor: string, service: string): Promise<void> {
  await printCrowd('floor', floor);
  await printCrowd('service', service);

  const old = { ...runner('after 500,000 requests', service), warmUp: 500_000 };
  const ages = await race([runner('fresh', service), old], PATHS, ROUNDS);
  console.log(requestTable(ages));
  console.log(figureTable('memory, MiB', new Map(ages.map(({ name, memory }) => [name, memory]))));
}

async function printCrowd(name: string, script: string): Promise<void> {
  const crowd = (connections: number, busy: number, rest = ''): Runner => ({
    ...runner(`${name}, connections: ${connections}${rest}`, script), connections, busy,
  });
  const runners = [
    crowd(50, 50),
    crowd(1, 1), // every request has to wake the process up, which else one wake-up in ten does for many
    crowd(500, 50, ', 50 busy'),
    crowd(2000, 50, ', 50 busy'),
    crowd(2000, 2000, ', all in turn'), // more than the caches of a CPU hold, the kernel's part included
  ];
  console.log(requestTable(await race(runners, PATHS, ROUNDS)));
}
