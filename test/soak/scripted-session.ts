// A session that follows a script of the fuzzer: any requests, sent, read and left in any order.
import { judge } from '../fuzz/judge.ts';
import { dialLine } from '../fuzz/line.ts';
import { play } from '../fuzz/play.ts';
import { makeScript } from '../fuzz/script.ts';
import type { Random } from '../support/random.ts';

const SURROUNDINGS = { redirects: false, drains: false, mayEnd: false, isHasty: false };
const MANY = 500; // of many requests the replies may have waited, and then the connection may have been cut

export async function scripted(port: number, random: Random): Promise<number> {
  const script = makeScript(random, SURROUNDINGS);
  const outcome = await play(script, dialLine(port, false), () => undefined);
  judge(script, outcome, { mayBeCut: script.parts.length > MANY });
  return script.parts.length;
}
