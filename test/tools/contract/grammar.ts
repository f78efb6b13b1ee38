// `--grammar`: which words of the grammar (test/http/grammar) a server answers differently. Each word has a connection of its own.
import type { Socket } from 'node:net';
import { head } from '../../support/corpus/entry.ts';
import { compile, PLACES, type Place } from '../../http/grammar/places.ts';
import { visitWords } from '../../http/grammar/words.ts';
import { forEach, talker } from './talk.ts';

const PATIENCE_MS = 1_000; // for a connection. A server that says nothing until then waits for more, so it has not refused.
const RULE_MS = 5_000; // no connection for a rule begins later
const LAST = head('GET / HTTP/1.1', 'Host: a', 'Connection: close');
const REFUSALS = [400, 411, 413, 414, 417, 421, 431, 501, 505];

/** The rules, except those that no reply shows. */
export const RULES = PLACES.filter(({ shows, isSecure }) => shows === 'whole' && isSecure !== true);

/** What a server makes of a rule: how many words were tried, and those that it takes or refuses although the grammar does not. */
type Language = { readonly name: string; readonly tried: number; readonly takes: readonly string[]; readonly refuses: readonly string[] };

/** Tries at most `most` words of a rule, spread evenly. */
export async function languageOf({ name, before, after }: Place, connect: () => Socket, most: number): Promise<Language> {
  const takes: string[] = [], refuses: string[] = [];
  const talk = talker(connect, PATIENCE_MS);
  const overAt = Date.now() + RULE_MS;
  let tried = 0;
  await forEach(wordsOf(name, most), async ([word, isAccepted]) => {
    if (Date.now() > overAt) return;
    const { replies, end } = await talk(before + word + after(word) + LAST, Infinity);
    const status = replies.map((reply) => reply.status).find((one) => one >= 200);
    const isTaken = status === undefined ? end === 'late' : !REFUSALS.includes(status);
    tried += 1;
    if (isTaken !== isAccepted) (isAccepted ? refuses : takes).push(word);
  });
  for (const differing of [takes, refuses]) differing.sort((a, b) => a.length - b.length);
  return { name, tried, takes, refuses };
}

// Whether the grammar accepts each word.
function wordsOf(rule: string, most: number): Map<string, boolean> {
  const automaton = compile(rule), words = new Map<string, boolean>();
  let count = 0, at = 0;
  visitWords(automaton, 0, () => { count += 1; });
  const every = Math.ceil(count / most);
  visitWords(automaton, 0, (word, isAccepted) => { if (at++ % every === 0) words.set(word, isAccepted); });
  return words;
}

/** A line of the report, with the shortest words that make a difference. */
export function describeLanguage({ name, tried, takes, refuses }: Language): string {
  const count = (what: string, words: readonly string[]) =>
    `${what} ${words.length}${words.length === 0 ? '' : `, such as ${JSON.stringify(words[0])}`}`;
  return `${name.padEnd(18)}${String(tried).padStart(5)} words: ${count('takes', takes)}; ${count('refuses', refuses)}`;
}
