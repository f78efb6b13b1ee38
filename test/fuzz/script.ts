// The script of one client on one connection: its requests, and when it sends, reads, waits and disconnects.
import type { Random } from '../support/random.ts';
import { lastRequest, notableLastRequest, upgradeWithContent } from './last-requests.ts';
import { head, largeRequest, legalRequest } from './legal-requests.ts';
import { mutate, mutatedRequests } from './mutated-requests.ts';
import { drained, redirected, type Part } from './part.ts';

export type Step =
  | { readonly kind: 'send'; readonly bytes: string }
  /** Sends each byte in a turn of the event loop, and over TLS in a record of its own. */
  | { readonly kind: 'send single bytes'; readonly bytes: string }
  /** Waits for this many turns of the event loop. */
  | { readonly kind: 'pause'; readonly turns: number }
  /** Waits until this many replies have begun to arrive, or the connection has ended. */
  | { readonly kind: 'await'; readonly replies: number }
  | { readonly kind: 'stop reading' | 'read' }
  /** Ends the client's side. */
  | { readonly kind: 'end' }
  /** Disconnects, with a reset or without. */
  | { readonly kind: 'reset' | 'close' }
  /** Tells the service to drain or to stop. */
  | { readonly kind: 'drain' | 'stop' };

export type Script = {
  /** The requests up to the last one that is answered. */
  readonly parts: readonly Part[];
  /** The bytes after them. */
  readonly behind: {
    /** Whether the replies to these bytes are unknown. */
    readonly isOpaque: boolean;
    readonly bytes: string;
    /** How many requests these bytes contain, at most. */
    readonly requests: number;
  };
  readonly steps: readonly Step[];
};

export type Surroundings = {
  /** The listener redirects every legal request. */
  readonly redirects: boolean;
  /** The service drains from the start. */
  readonly drains: boolean;
  /** The service may be told to drain or to stop. */
  readonly mayEnd: boolean;
  /** The time limits of the service are very short. */
  readonly isHasty: boolean;
  /** The service cuts off clients when few replies wait; the clients pipeline more requests. */
  readonly isNarrow: boolean;
  /** The clients send requests with large heads, and requests to upgrade with content. */
  readonly isLarge: boolean;
};

const chance = ({ below }: Random, percent: number) => below(100) < percent;

/** A random script for a service in these surroundings. */
export function makeScript(random: Random, surroundings: Surroundings): Script {
  const { parts, behind } = makeRequests(random, surroundings);
  const bytes = parts.map((part) => part.bytes).join('') + behind.bytes;
  return { parts, behind, steps: makeSteps(random, surroundings, parts, bytes) };
}

function makeRequests(random: Random, { redirects, drains, isNarrow, isLarge }: Surroundings): Pick<Script, 'parts' | 'behind'> {
  const all = isNarrow && chance(random, 70) ? manyGreetings(random.below(3_000)) : isLarge ? largeParts(random) : legalParts(random);
  const [isKnown, isOpaque] = random.pick([[true, false], [true, false], [true, false], [false, true], [false, true], [false, false]]);
  if (isKnown && isLarge) all.push(upgradeWithContent(random));
  else if (isKnown) all.push(chance(random, 60) ? notableLastRequest(random) : lastRequest(random));
  if (drains && !isOpaque && all.length === 0) all.push(greeting(0));
  const here = redirects ? all.map(redirected) : all;
  const ignored = drains ? here.splice(1) : [];
  const parts = drains ? here.map(drained) : here;
  const ignoredBytes = ignored.map((part) => part.bytes).join('');
  if (isOpaque) return { parts, behind: { isOpaque: !drains || parts.length === 0, bytes: ignoredBytes + opaque(random), requests: ignored.length + 6 } };
  if (!isKnown && !drains) return { parts, behind: { isOpaque: false, bytes: '', requests: 0 } };
  const requests = random.pick([0, 0, 0, 1, 3, 8, 9, 20, chance(random, 25) ? 10_000 : 300]);
  return { parts, behind: { isOpaque: false, bytes: ignoredBytes + numbered(requests) + random.pick(['', '', 'noise']), requests: ignored.length + requests } };
}

const FEW = [0, 1, 1, 2, 2, 3, 5, 8] as const;

function legalParts(random: Random): Part[] {
  if (chance(random, 3)) return manyGreetings(random.below(chance(random, 10) ? 20_000 : 1_000));
  return Array.from({ length: random.pick(FEW) }, (_, number) => (chance(random, 60) ? greeting(number) : legalRequest(random)));
}

const largeParts = (random: Random) => Array.from({ length: random.pick([1, 8, 40, 300]) }, (_, number) => (chance(random, 30) ? greeting(number) : largeRequest(random)));
const manyGreetings = (count: number) => Array.from({ length: count }, (_, number) => greeting(number));
const greetingBytes = (number: number) => head(`GET /api/greetings?name=${number} HTTP/1.1`, 'Host: a');
const numbered = (count: number) => Array.from({ length: count }, (_, i) => greetingBytes(-1 - i)).join('');

/** A request for a greeting with `number` in it, so that the reply shows which request it answers. */
function greeting(number: number): Part {
  return { bytes: greetingBytes(number), statuses: [200], body: `{"message":"Hello, ${number}!"`, isLast: false };
}

function opaque(random: Random): string {
  return chance(random, 50) ? mutatedRequests(random) : mutate(lastRequest(random).bytes + legalRequest(random).bytes, random);
}

function makeSteps(random: Random, { mayEnd, isHasty }: Surroundings, parts: readonly Part[], bytes: string): Step[] {
  const ends: number[] = [];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.bytes.length);
  const isOver = parts.at(-1)?.isLast === true;

  const leaves = chance(random, 35);
  const to = chance(random, 30) ? cutAt(random, ends, bytes) : bytes.length;
  const cuts = Array.from({ length: random.pick([0, 0, 0, 1, 2, 3, 6]) }, () => cutAt(random, ends, bytes)).filter((at) => at < to);
  const steps: Step[] = chance(random, 35) ? [{ kind: 'stop reading' }] : [];
  let from = 0;
  for (const at of [...cuts.sort((a, b) => a - b), to]) {
    const single = chance(random, 15) ? random.below(Math.min(200, at - from)) : 0;
    if (single > 0) steps.push({ kind: 'send single bytes', bytes: bytes.slice(from, from + single) });
    if (at > from + single) steps.push({ kind: 'send', bytes: bytes.slice(from + single, at) });
    from = at;
    if (at < to) steps.push(...between(random, ends.filter((end) => end <= at).length));
  }
  if (mayEnd) steps.splice(random.below(steps.length + 1), 0, { kind: random.pick(['drain', 'stop']) });
  if (chance(random, leaves ? 30 : 50)) steps.push(...between(random, ends.filter((end) => end <= to).length));

  const lastEnd = ends.at(-1) ?? 0;
  const waits = (isOver && to >= lastEnd) || isHasty;
  if (!waits || chance(random, 30)) steps.push({ kind: 'end' }, ...(chance(random, 30) ? [pause(random)] : []));
  if (leaves) steps.push({ kind: random.pick(['reset', 'reset', 'close']) });
  return steps;
}

function between(random: Random, whole: number): Step[] {
  return random.pick<(random: Random) => Step[]>([
    () => [],
    () => [pause(random)],
    () => [pause(random)],
    () => [{ kind: 'await', replies: whole }],
    () => [{ kind: 'stop reading' }, pause(random)],
    () => [{ kind: 'read' }, pause(random)],
  ])(random);
}

const pause = ({ below, pick }: Random): Step => ({ kind: 'pause', turns: 1 + below(pick([2, 5, 20])) });

// A random position: half of them anywhere, half at the end of a request or one byte before or after it.
function cutAt(random: Random, ends: readonly number[], bytes: string): number {
  const [first, ...others] = ends;
  if (first === undefined || chance(random, 50)) return random.below(bytes.length + 1);
  return random.pick([first, ...others]) + random.pick([-1, 0, 0, 0, 1]);
}
