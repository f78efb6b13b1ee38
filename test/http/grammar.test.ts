// The language that the reader accepts is that of grammar/request.abnf. The H-method shows it (see grammar/words.ts): a reader that accepts
// another one answers a word differently, if it takes the bytes that the rule does not distinguish for the same, and behaves like an
// automaton with at most one state more than the rule (two, for small rules). So does one that, after any state, ignores a single byte or
// takes it for one of another class.
// GRAMMAR_EXTRA_STATES=2 allows for two states more in all rules, which takes minutes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopCoverage } from 'node:v8';
import { traceparentOf } from '../../src/http/messages.ts';
import { RequestReader } from '../../src/http/request-reader.ts';
import { compile, PLACES, type Place } from './grammar/places.ts';
import { visitWords } from './grammar/words.ts';

const EXTRA = process.env['GRAMMAR_EXTRA_STATES'];
const SMALL = 9; // states
const MAX_FAULTS = 5;

// A reader that has accepted a request reads the next one, so requests that follow another one are tried, too.
function acceptance({ before, after, shows, isSecure = false }: Place): (word: string) => boolean {
  const bytes = Buffer.alloc(100_000), start = bytes.write(before, 'latin1');
  const newReader = () => new RequestReader((_host, isHttps) => (isHttps && !isSecure ? 'httpsWithoutTls' : undefined));
  let reader = newReader();
  return (word) => {
    const length = start + bytes.write(word + after(word), start, 'latin1');
    const result = reader.read(bytes.subarray(0, length));
    if (result === undefined || 'reason' in result || reader.end < length) {
      reader = newReader();
      return false;
    }
    if (shows === 'trace') return traceparentOf(result).slice(3, 35) === word.trim().slice(3, 35);
    return shows === 'whole' || shows === 'end' || result.isLast === (shows === 'last');
  };
}

stopCoverage(); // it would take half as much time again, and the other tests cover the reader
for (const place of PLACES) {
  test(`${place.name} is the language that is accepted after ${JSON.stringify(place.before)}`, (t) => {
    const automaton = compile(place.name);
    const extra = Number(EXTRA ?? (automaton.size < SMALL ? 2 : 1));
    const isAccepted = acceptance(place);
    const faults: string[] = [];
    let count = 0;
    visitWords(automaton, extra, (word, expected) => {
      count += 1;
      if (faults.length < MAX_FAULTS && isAccepted(word) !== expected) faults.push(`${JSON.stringify(word)}, by the rule ${expected}`);
    });
    t.diagnostic(`${automaton.size} states, ${extra} more, ${count} words`);
    assert.deepEqual(faults, []);
  });
}
