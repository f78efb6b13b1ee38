// A random sequence.
import { BUDGET } from '../../../src/transport/turns.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { greeting, greetings, lastRequest, legalRequest, type Part } from './requests.ts';
import { LIMITS, WHOLE, type ClientStep, type Sequence, type ServiceStep } from './steps.ts';

const { idleMs, headMs, requestMs, unreadMs, lingerMs, closeIdleMs, sweepMs } = LIMITS;
const TIMES = [idleMs, headMs, requestMs, unreadMs, lingerMs, closeIdleMs, sweepMs] as const;

/** Makes a step. If it is one of a client, it is of this one; `number` is in its requests. */
type MakeStep = (random: Random, client: number, number: number) => ClientStep | ServiceStep;

// Each sequence has only some of these kinds of steps, so that it explores them further.
const KINDS: readonly MakeStep[] = [
  (random, client) => ({ kind: 'more', bytes: random.pick([1, 1, 2, 40, random.below(200)]), pieces: pieces(random), client }),
  (random, client) => ({ kind: 'more', bytes: Infinity, pieces: pieces(random), client }),
  (_, client) => ({ kind: 'read', client }),
  (_, client) => ({ kind: 'stop reading', client }),
  (_, client) => ({ kind: 'end', client }),
  (_, client) => ({ kind: 'reset', client }),
  () => ({ kind: 'pass', ms: 0 }),
  // To just before a limit, to it, and to just after it.
  ({ pick }) => ({ kind: pick(['pass', 'reach']), ms: pick(TIMES) + pick([0, 0, LIMITS.sweepMs]) + pick([-1, 0, 1]) }),
];
const RARE_KINDS: readonly MakeStep[] = [() => ({ kind: 'drain' }), () => ({ kind: 'stop' }), () => ({ kind: 'cut' })];

/** As many sequences as `count`; the seed of the first one is `seed`, and those of the others follow. */
export function* randomSequences(seed: number, count: number): Generator<Sequence> {
  for (let i = 0; i < count; i += 1) yield randomSequence(createRandom(seed + i));
}

function randomSequence(random: Random): Sequence {
  const { below, pick } = random;
  const clients = pick([1, 1, 1, 2, 3, 6]);
  const surroundings = {
    maxConnections: pick([1, 2, 3, 100]),
    addresses: pick([1, 2, 3]),
    room: pick([0, 1, 100, 300, 1_000]),
    isSecure: pick([true, false]),
    turnCost: pick([1, 1, 1, 20_000, BUDGET]),
  };
  const others = [...KINDS.filter(() => below(3) === 0), ...RARE_KINDS.filter(() => below(5) === 0)];
  const kinds: readonly [MakeStep, ...MakeStep[]] = [sendRequests, sendRequests, ...others];
  const steps = Array.from({ length: 2 + below(pick([5, 10, 20])) }, (_, i) =>
    ({ ...pick(kinds)(random, 1 + below(clients), 10 * i), iterations: pick([0, 0, 1, 1, 2, 5]) }));
  if (below(3) === 0) steps.unshift({ kind: 'stop reading', client: 1, iterations: 1 });
  return { surroundings, steps };
}

function sendRequests(random: Random, client: number, number: number): ClientStep {
  const { below, pick } = random;
  const parts: Part[] = Array.from({ length: pick([0, 1, 1, 1, 2, 3, 8]) }, (_, i) => legalRequest(random, number + i));
  if (below(2_000) === 0) parts.push(...greetings(number, below(300)));
  if (parts.length === 0 || below(6) === 0) parts.push(lastRequest(random, number + 9));
  if (below(12) === 0) parts.push(greeting(number)); // often after the last one
  const length = parts.at(-1)?.bytes.length ?? 0;
  return { kind: 'send', parts, held: pick([0, 0, 0, 1, 2, 3, 5, below(60), below(length)]), pieces: pieces(random), client };
}

function pieces({ below, pick }: Random): number {
  return below(5) > 0 ? WHOLE : pick([1, 2, 7, 1 + below(100)]);
}
