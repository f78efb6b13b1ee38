// `--grammar`: which words of the grammar (test/http/grammar) a server answers differently. Each word has a connection of its own.
import type { Socket } from 'node:net';
import { head } from '../../support/corpus/entry.ts';
import { compile, PLACES, type Place } from '../../http/grammar/places.ts';
import { visitWords } from '../../http/grammar/words.ts';
import { talker } from './talk.ts';

const PATIENCE_MS = 1_000; // for a connection. A server that says nothing until then waits for more, so it has not refused.
const RULE_MS = 5_000; // no connection for a rule begins later
const CONNECTIONS = 16;
const LAST = head('GET / HTTP/1.1', 'Host: a', 'Connection: close');
const REFUSALS = [400, 411, 413, 414, 417, 421, 431, 501, 505];

// What a server makes of a rule: how many words were tried, and those that it takes or refuses although the grammar does not.
type Language = { readonly name: string; readonly tried: number; readonly takes: readonly string[]; readonly refuses: readonly string[] };

/** The languages of the rules, except those that no reply shows. At most `most` words of each are tried, spread evenly. */
export async function languagesOf(connect: () => Socket, most: number): Promise<Language[]> {
  const languages: Language[] = [];
  for (const place of PLACES.filter(({ shows, isSecure }) => shows === 'whole' && isSecure !== true)) {
    languages.push(await languageAt(place, connect, most));
  }
  return languages;
}

async function languageAt(place: Place, connect: () => Socket, most: number): Promise<Language> {
  const takes: string[] = [], refuses: string[] = [];
  const talk = talker(connect, PATIENCE_MS);
  const overAt = Date.now() + RULE_MS;
  const words = wordsFor(place, most).entries();
  let tried = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    for (const [word, isAccepted] of words) {
      const { replies, end } = await talk(place.before + word + place.after(word) + LAST, Infinity);
      const status = replies.map((reply) => reply.status).find((one) => one >= 200);
      const isTaken = status === undefined ? end === 'late' : !REFUSALS.includes(status);
      tried += 1;
      if (isTaken !== isAccepted) (isAccepted ? refuses : takes).push(word);
      if (Date.now() > overAt) return;
    }
  }));
  for (const differing of [takes, refuses]) differing.sort((a, b) => a.length - b.length);
  return { name: place.name, tried, takes, refuses };
}

// Whether the grammar accepts each word.
function wordsFor({ name }: Place, most: number): Map<string, boolean> {
  const automaton = compile(name), words = new Map<string, boolean>();
  let count = 0, at = 0;
  visitWords(automaton, 0, () => { count += 1; });
  const every = Math.ceil(count / most);
  visitWords(automaton, 0, (word, isAccepted) => { if (at++ % every === 0) words.set(word, isAccepted); });
  return words;
}

/** A line for each rule, with the shortest words that make a difference. */
export function describeLanguages(languages: readonly Language[]): string {
  const row = (rule: string, ...counts: readonly unknown[]) => rule.padEnd(19) + counts.map((count) => String(count).padStart(8)).join('');
  return [row('rule', 'words', 'takes', 'refuses'), ...languages.map(({ name, tried, takes, refuses }) =>
    row(name, tried, takes.length, refuses.length) + shortest('takes', takes) + shortest('refuses', refuses))].join('\n');
}

const shortest = (what: string, [word]: readonly string[]) => (word === undefined ? '' : `   ${what} ${JSON.stringify(word)}`);
