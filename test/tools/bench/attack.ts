// Prints how long clients wait while others attack, for `npm run bench -- --attack`.
import { ATTACKS } from './attacks.ts';
import { ATTACK_BOUNDS, judge } from './bounds.ts';
import { namesThatStart } from './names.ts';
import { requireOpenFiles } from './open-files.ts';
import { waitsPicture } from './pictures.ts';
import { waitsTable } from './tables.ts';
import { printVerdicts } from './verdicts.ts';
import { measureWaits, type Outcome } from './waits.ts';

export type AttackOptions = {
  /** Only the attacks whose names start so. */
  readonly only: string;
  readonly clients: number;
  /** How long each attack lasts. */
  readonly seconds: number;
  /** A server that is attacked instead of those that are measured. */
  readonly elsewhere: string | undefined;
};

/** Attacks the servers, by name. The process will exit with 1 when a figure of the service is above its bound. */
export async function printAttacks(
  servers: ReadonlyMap<string, string>, { only, clients, seconds, elsewhere }: AttackOptions,
): Promise<void> {
  const attacks = namesThatStart([...ATTACKS.keys()], only).map((attack) => ({ attack, clients }));
  requireOpenFiles(clients + 1_000); // and those of honest clients, and of node itself
  console.log(`${seconds} s for each attack and server; heap of 256 MiB\n`);
  const outcomes = await measureWaits(servers, attacks, seconds, elsewhere);
  console.log(waitsTable(outcomes));
  console.log(waitsPicture(outcomes));
  printVerdicts(outcomes.filter(({ server }) => server === 'service').flatMap(verdictsOn));
}

function verdictsOn({ attack, failed, median, worst, peak }: Outcome) {
  const figures = new Map([['failed', failed], ['median ms', median], ['worst ms', worst], ['peak MiB', peak]]);
  return judge(figures, ATTACK_BOUNDS, 0, `${attack}: `);
}
