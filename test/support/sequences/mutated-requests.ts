// Requests whose replies nobody can tell: up to three, legal or not, of which up to three places are changed.
import { mutated } from '../corpus/mutate.ts';
import type { Random } from '../random.ts';
import { lastRequest } from './last-requests.ts';
import { legalRequest } from './legal-requests.ts';
import type { Part } from './part.ts';

export function mutatedRequests(random: Random): Part {
  const { below } = random;
  let bytes = '';
  for (let count = 1 + below(3); count > 0; count -= 1) bytes += (below(3) === 0 ? lastRequest : legalRequest)(random, count).bytes;
  for (let mutations = below(4); mutations > 0; mutations -= 1) bytes = mutated(bytes, random);
  return { bytes: bytes || 'x', reply: undefined };
}
