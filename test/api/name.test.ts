// What is wrong with a name, in words. How the name is read from a query is in the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultInName } from '../../src/api/name.ts';

test('a name has 1 to 80 code points, of which one is not white space', () => {
  const long = (length: number) => ['a', 'ü', '😀', '\ud800', '\0'].map((letter) => letter.repeat(length));
  for (const [fault, ...names] of [
    [undefined, ' A ', '\u200b', ...long(1), ...long(80), `${' '.repeat(79)}a`],
    ['The name is empty: 1 to 80 characters are accepted.', ''],
    ['The name has 81 characters: 1 to 80 are accepted.', ...long(81), ' '.repeat(81), ` ${'a'.repeat(80)}`],
    ['The name is only white space: at least one other character is needed.', ' ', ' '.repeat(80), '\t\n\u3000\ufeff'],
  ] as const) for (const name of names) assert.equal(faultInName(name), fault, name);
});
