// How a name is read from a query, and what is wrong with it, in words. What greetings say is in description.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../../src/api/greeting.ts';
import { faultInName, readName } from '../../src/api/name.ts';
import { createRandom } from '../support/random.ts';

const LETTERS = [['n', '%6e', '%6E', 'N'], ['a', '%61', '%41'], ['m', '%6d', '%6D'], ['e', '%65', 'e=', '%65&']];
const PARTS = [
  ...'name&=+%?#;', '&', '=', '%6', '%zz', '%3d', '%26', '%25', '%2B', '%00', '%c3%a4', '%ef%bb%bf', '%ff',
  '%f0%9f%98%80', '%ed%a0%80', '\ud83d', '\ude00', 'ä',
];

test('the first name in random queries is the one that URLSearchParams finds', () => {
  const { pick } = createRandom(1); // always the same, so that a failure can be repeated
  for (let time = 0; time < 5_000; time += 1) {
    const key = () => LETTERS.map((letter) => pick(letter)).join('');
    const parts = Array.from({ length: time % 10 }, () => pick([pick(PARTS), key()]));
    const query = parts.join('');
    assert.equal(readName(query), new URLSearchParams(`?${query}`).get('name') ?? 'World', query);
  }
});

test('a name that breaks a rule is told which', () => {
  for (const [name, fault] of [
    ['', 'The name is empty: 1 to 80 characters are accepted.'],
    ['a'.repeat(81), 'The name has 81 characters: 1 to 80 are accepted.'],
    ['\t\n\u3000', 'The name is only white space: at least one other character is needed.'],
  ] as const) assert.equal(faultInName(name), fault);
  for (const name of ['', '\t\n\u3000']) assert.throws(() => greet(name), RangeError);
});
