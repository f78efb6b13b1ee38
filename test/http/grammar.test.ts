// The language that the reader accepts is that of grammar/request.abnf. The W-method shows it (see grammar/words.ts): a reader that accepts
// another one, and behaves like an automaton with at most one state more than the rule (two, for small rules), answers a word differently.
// For large rules these are too many words: after a byte that does not represent its class, only a part is tried, spread evenly.
// GRAMMAR_EXTRA_STATES=2 allows for two states more in all rules, which takes minutes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegalRequest } from '../../src/http/request.ts';
import { RequestReader } from '../../src/http/request-reader.ts';
import type { Automaton } from './grammar/automaton.ts';
import { compile, PLACES, type Place } from './grammar/places.ts';
import { visitWords } from './grammar/words.ts';

const EXTRA = process.env['GRAMMAR_EXTRA_STATES'];
const MAX_FAULTS = 5;

// For a rule at most a second or two.
function effortFor({ size }: Automaton) {
  if (size < 12) return { extra: 2, share: { near: 1, far: 1 / 20 } };
  return { extra: 1, share: size < 40 ? { near: 1, far: 1 / 12 } : { near: 1 / 10, far: 1 / 200 } };
}

// A reader that has accepted a request reads the next one, so each request is also one that follows others.
function acceptance({ before, after, shows, isSecure = false }: Place): (word: string) => boolean {
  const bytes = Buffer.alloc(100_000);
  const start = bytes.write(before, 'latin1');
  const newReader = () => new RequestReader((_host, isHttps) => (isHttps && !isSecure ? 'httpsWithoutTls' : undefined));
  let reader = newReader();
  return (word) => {
    const end = start + bytes.write(word + after(word), start, 'latin1');
    const result = reader.read(bytes.subarray(0, end));
    const isWhole = result instanceof LegalRequest && reader.end === end;
    if (!isWhole) reader = newReader();
    if (shows === 'begun') return result === undefined;
    if (!isWhole || shows === 'whole' || shows === 'end') return isWhole;
    if (shows === 'trace') return result.traceparent.slice(3, 35) === word.trim().slice(3, 35);
    return result.isLast === (shows === 'last');
  };
}

for (const place of PLACES) {
  test(`${place.name} is the language that is accepted after ${JSON.stringify(place.before)}`, (t) => {
    const automaton = compile(place.name);
    const { extra, share } = effortFor(automaton);
    const isAccepted = acceptance(place);
    const faults: string[] = [];
    let count = 0;
    visitWords(automaton, Number(EXTRA ?? extra), share, (word, expected) => {
      count += 1;
      if (faults.length < MAX_FAULTS && isAccepted(word) !== expected) faults.push(`${JSON.stringify(word)}, by the rule ${expected}`);
    });
    t.diagnostic(`${automaton.size} states, ${EXTRA ?? extra} more, ${count} words`);
    assert.deepEqual(faults, []);
  });
}
