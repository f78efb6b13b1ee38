// A session that performs a random script of the fuzz test.
import { checkOutcome } from '../fuzz/check-outcome.ts';
import { dialLine } from '../fuzz/line.ts';
import { play } from '../fuzz/play.ts';
import { makeScript } from '../fuzz/script.ts';
import type { Random } from '../support/random.ts';

const SURROUNDINGS = { redirects: false, drains: false, mayEnd: false, isHasty: false, isNarrow: false };
const MANY = 500; // with more requests than this, too many replies may wait, and the service may close the connection

export async function scripted(port: number, random: Random): Promise<number> {
  const script = makeScript(random, { ...SURROUNDINGS, isLarge: random.below(8) === 0 });
  const outcome = await play(script, dialLine(port, false), () => undefined);
  checkOutcome(script, outcome, { mayBeCut: script.parts.length > MANY });
  return script.parts.length;
}
