// A session that performs a random script of the fuzz test.
import { checkOutcome } from '../../support/sequences/check-outcome.ts';
import { dialLine } from '../../support/sequences/line.ts';
import { play } from '../../support/sequences/play.ts';
import { makeScript } from '../../support/sequences/script.ts';
import type { Random } from '../../support/random.ts';

export async function scripted(port: number, random: Random): Promise<number> {
  const script = makeScript(random);
  checkOutcome(script, await play(script, dialLine(port, false)));
  return script.parts.length;
}
