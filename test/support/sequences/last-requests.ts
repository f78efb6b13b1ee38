// Requests after which the service closes the connection: those of the corpus, and a few with a number.
import { last as corpus } from '../corpus/last.ts';
import type { Random } from '../random.ts';
import type { Part } from './part.ts';
import { last, lastGreeting, partsOf } from './requests.ts';

const SHORT = partsOf(corpus('a'), 'short');
const LONG = partsOf(corpus('a'), 'long');

/** A request that ends the connection. `number` makes it another one than others in the sequence. */
export function lastRequest({ below, pick }: Random, number: number): Part {
  if (below(8) === 0) return lastGreeting(number);
  return last(pick(below(20) === 0 ? LONG : SHORT));
}
