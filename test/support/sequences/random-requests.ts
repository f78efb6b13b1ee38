// Random requests: those of the corpus, and others of many variants.
import { filler, head } from '../corpus/entry.ts';
import { last as corpusOfLast } from '../corpus/last.ts';
import { served } from '../corpus/served.ts';
import type { Random } from '../random.ts';
import type { Part } from './part.ts';
import { afterEmptyLines, empty, greeting, last, lastGreeting, partsOf, replied, target, withContent } from './requests.ts';

const NAMES = ['Ada Lovelace', 'Grace', 'Zoë', 'Øystein', '李小龍', '🦊 fox', 'O\'Hara & "Sons"', '<script>', 'a'.repeat(80)] as const;
const BAD_NAMES = ['', '%20', '+++', '%E3%80%80', 'a'.repeat(81), '%F0%9F%A6%8A'.repeat(81), 'b'.repeat(8_000)] as const;
const [SHORT, LONG] = [partsOf(served('a'), 'short'), partsOf(served('a'), 'long')];
const [SHORT_LAST, LONG_LAST] = [partsOf(corpusOfLast('a'), 'short'), partsOf(corpusOfLast('a'), 'long')];

const illegalName = (number: number, name = '', ...fields: readonly string[]) =>
  replied(400, '{"type":"https://tools.ietf.org/', target(`GET /api/greetings?${number}&name=${name} HTTP/1.1`, ...fields));

// Nearly every name is new, so that memory kept for each name would be seen.
function greetingOfName({ below, pick }: Random): Part {
  const name = `${pick(NAMES).slice(0, 70)} ${below(1e9)}`;
  const line = `GET /api/greetings?name=${encodeURIComponent(name)} HTTP/1.1`;
  return replied(200, `{"message":${JSON.stringify(`Hello, ${name}!`)}`, target(line));
}

/** It takes much memory: a long target, many long fields, and content with long trailers. */
function large({ below }: Random): Part {
  const lines = (count: number) => Array.from({ length: below(count) }, (_, i) => `X-${i}: ${'y'.repeat(below(140))}`);
  const start = target(`GET /${'a'.repeat(below(2_000))} HTTP/1.1`, ...lines(90), 'Transfer-Encoding: chunked');
  return empty(404, `${start}1\r\nx\r\n0\r\n${head(...lines(90))}`);
}

function traced({ below, pick }: Random): Part {
  const parent = `00-4bf92f3577b34da6a3ce929d0e0e4736-${(below(2 ** 32) + 1).toString(16).padStart(16, '0')}-0${below(3)}`;
  return illegalName(below(1e9), pick(BAD_NAMES), ...filler(below(90)), `traceparent: ${parent}`);
}

/** One of many variants, most of them long. */
export function variedRequest(random: Random): Part {
  return random.pick([greetingOfName, greetingOfName, large, large, traced, traced, () => random.pick(LONG)])(random);
}

/** A request that leaves the connection open. `number` makes it different from the others in the sequence. */
export function legalRequest(random: Random, number: number): Part {
  const { below, pick } = random;
  if (below(16) === 0) return variedRequest(random);
  return below(2) === 0 ? pick([greeting, greeting, withContent, afterEmptyLines, illegalName])(number) : pick(SHORT);
}

/** A request that ends the connection. `number` makes it different from the others in the sequence. */
export function lastRequest({ below, pick }: Random, number: number): Part {
  if (below(8) === 0) return lastGreeting(number);
  return last(pick(below(20) === 0 ? LONG_LAST : SHORT_LAST));
}
