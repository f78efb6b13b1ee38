// The script of one client on one connection: its requests, and when it sends, reads, waits and disconnects.
import type { Random } from '../random.ts';
import { lastRequest, notableLastRequest, upgradeWithContent } from './last-requests.ts';
import { head, largeRequest, legalRequest } from './legal-requests.ts';
import { mutate, mutatedRequests } from './mutated-requests.ts';
import type { Part } from './part.ts';

export type Step =
  | { readonly kind: 'send'; readonly bytes: string }
  /** Sends each byte in a turn of the event loop, and over TLS in a record of its own. */
  | { readonly kind: 'send single bytes'; readonly bytes: string }
  /** Waits for this many turns of the event loop. */
  | { readonly kind: 'pause'; readonly turns: number }
  | { readonly kind: 'stop reading' | 'read' }
  /** Ends the client's side. */
  | { readonly kind: 'end' }
  /** Disconnects, with a reset or without. */
  | { readonly kind: 'reset' | 'close' };

export type Script = {
  /** The requests up to the last one that is answered. */
  readonly parts: readonly Part[];
  /** The bytes after them. */
  readonly behind: { /** Whether the replies to these bytes are unknown. */ readonly isOpaque: boolean; readonly bytes: string };
  readonly steps: readonly Step[];
};

const chance = ({ below }: Random, percent: number) => below(100) < percent;

/** A random script. */
export function makeScript(random: Random): Script {
  const { parts, behind } = makeRequests(random);
  const bytes = parts.map((part) => part.bytes).join('') + behind.bytes;
  return { parts, behind, steps: makeSteps(random, parts, bytes) };
}

function makeRequests(random: Random): Pick<Script, 'parts' | 'behind'> {
  const parts = legalParts(random);
  const kind = random.pick(['last', 'last', 'opaque', 'open']);
  if (kind === 'open') return { parts, behind: { isOpaque: false, bytes: '' } };
  if (kind === 'opaque') return { parts, behind: { isOpaque: true, bytes: opaque(random) } };
  parts.push(random.pick([notableLastRequest, notableLastRequest, lastRequest, upgradeWithContent])(random));
  const ignored = Array.from({ length: random.pick([0, 0, 0, 1, 3, 300]) }, (_, i) => greeting(-1 - i).bytes).join('');
  return { parts, behind: { isOpaque: false, bytes: ignored + random.pick(['', '', 'noise']) } };
}

function legalParts(random: Random): Part[] {
  if (chance(random, 5)) return Array.from({ length: random.below(1_000) }, (_, number) => greeting(number));
  return Array.from({ length: random.pick([0, 1, 1, 2, 2, 3, 5, 8]) }, (_, number) => random.pick([greeting, greeting, () => legalRequest(random), () => largeRequest(random)])(number));
}

/** A request for a greeting with `number` in it, so that the reply shows which request it answers. */
function greeting(number: number): Part {
  return { bytes: head(`GET /api/greetings?name=${number} HTTP/1.1`, 'Host: a'), status: 200, body: `{"message":"Hello, ${number}!"`, isLast: false };
}

function opaque(random: Random): string {
  return chance(random, 50) ? mutatedRequests(random) : mutate(lastRequest(random).bytes + legalRequest(random).bytes, random);
}

function makeSteps(random: Random, parts: readonly Part[], bytes: string): Step[] {
  const leaves = chance(random, 35);
  const to = chance(random, 30) ? random.below(bytes.length + 1) : bytes.length;
  const cuts = Array.from({ length: random.pick([0, 0, 1, 2, 3]) }, () => random.below(to + 1)).sort((a, b) => a - b);
  const steps: Step[] = chance(random, 35) ? [{ kind: 'stop reading' }] : [];
  let from = 0;
  for (const at of [...cuts, to]) {
    const single = chance(random, 15) ? random.below(Math.min(100, at - from)) : 0;
    if (single > 0) steps.push({ kind: 'send single bytes', bytes: bytes.slice(from, from + single) });
    if (at > from + single) steps.push({ kind: 'send', bytes: bytes.slice(from + single, at) });
    from = at;
    if (at < to || chance(random, leaves ? 30 : 50)) steps.push(...between(random));
  }
  const isOver = parts.at(-1)?.isLast === true && to === bytes.length; // the service ends the connection
  if (!isOver || chance(random, 30)) steps.push({ kind: 'end' }, ...between(random));
  if (leaves) steps.push({ kind: random.pick(['reset', 'reset', 'close']) });
  return steps;
}

function between({ below, pick }: Random): Step[] {
  const pause: Step = { kind: 'pause', turns: 1 + below(pick([2, 5, 20])) };
  return pick<Step[]>([[], [pause], [{ kind: 'stop reading' }, pause], [{ kind: 'read' }, pause]]);
}
