import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultInName, readName } from '../../src/api/name.ts';

test('the name in a query is the first value of the key `name`, decoded as the URL Standard does', () => {
  for (const [query, name] of [
    ['', 'World'], ['&', 'World'], ['a=b', 'World'], ['names=a', 'World'], ['Name=a', 'World'], ['xname=a', 'World'],
    ['?name=a', 'World'], ['%3Fname=a', 'World'], ['+name=a', 'World'], ['name[]=a', 'World'], ['a=name=a', 'World'],
    ['name', ''], ['name=', ''], ['name&name=a', ''], ['name=&name=a', ''],
    ['a=b&&name=c&', 'c'], ['name=a&name=b', 'a'], ['%6e%61%6D%65=a', 'a'], ['name=a%26b%3Dc', 'a&b=c'],
    ['name=+a%2B', ' a+'], ['name=%F0%9F%98%80', '😀'], ['name=%2541%zz', '%41%zz'], ['name=%FF', '\ufffd'],
  ] as const) {
    assert.equal(readName(query), name, query);
    assert.equal(new URL(`http://a/?${query}`).searchParams.get('name') ?? 'World', name, `the URL Standard: ${query}`);
  }
});

test('a name has 1 to 80 code points, of which one is not white space', () => {
  const letters = ['a', 'ü', '😀', '\ud800', '\0'];
  const long = (length: number) => letters.map((letter) => letter.repeat(length));
  const blank = 'The name is only white space: at least one other character is needed.';
  for (const [fault, ...names] of [
    [undefined, ' A ', '\u200b', ...letters, ...long(80), `${' '.repeat(79)}a`],
    ['The name is empty: 1 to 80 characters are accepted.', ''],
    ['The name has 81 characters: 1 to 80 are accepted.', ...long(81), ' '.repeat(81), ` ${'a'.repeat(80)}`],
    [blank, ' ', ' '.repeat(80), '\t\n\u00a0\u3000\ufeff'],
  ] as const) for (const name of names) assert.equal(faultInName(name), fault, name);
});
