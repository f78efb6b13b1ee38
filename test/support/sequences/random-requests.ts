// Random requests: those of the corpus, and greetings.
import { last as corpusOfLast } from '../corpus/last.ts';
import { served } from '../corpus/served.ts';
import type { Random } from '../random.ts';
import type { Part } from './part.ts';
import { afterEmptyLines, greeting, illegalName, last, lastGreeting, partsOf, withContent } from './requests.ts';

const [SHORT, LONG] = [partsOf(served('a'), 'short'), partsOf(served('a'), 'long')];
const [SHORT_LAST, LONG_LAST] = [partsOf(corpusOfLast('a'), 'short'), partsOf(corpusOfLast('a'), 'long')];

/** A request that leaves the connection open. `number` makes it different from the others in the sequence. */
export function legalRequest({ below, pick }: Random, number: number): Part {
  if (below(16) === 0) return pick(LONG);
  return below(2) === 0 ? pick([greeting, greeting, withContent, afterEmptyLines, illegalName])(number) : pick(SHORT);
}

/** A request that ends the connection. `number` makes it different from the others in the sequence. */
export function lastRequest({ below, pick }: Random, number: number): Part {
  if (below(8) === 0) return lastGreeting(number);
  return last(pick(below(20) === 0 ? LONG_LAST : SHORT_LAST));
}
