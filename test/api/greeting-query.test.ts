import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_NAME_LENGTH as MAX, MIN_NAME_LENGTH as MIN, parseGreetingQuery, validateName } from '../../src/api/greeting-query.ts';

/** Returns the name that a query stands for. */
function nameIn(query: string): string {
  const result = parseGreetingQuery(query);
  return 'errors' in result ? assert.fail(JSON.stringify(result.errors)) : result.parameters.name;
}

test('the name is the first one in the query, or World', () => {
  assert.equal(nameIn(''), 'World');
  assert.equal(nameIn('a=1'), 'World');
  assert.equal(nameIn('a=1&name=Ada&name=Grace'), 'Ada');
  assert.equal(nameIn('name=Ada&name='), 'Ada');
  assert.equal(nameIn('?name=Ada'), 'World');
});

test('a name is decoded alike, whether it is alone in the query or not', () => {
  for (const name of ['Ada', 'A%64a', '%41%20%7E', 'Ada+L', '%C3%BC', '%FF', '%00A', '%7f', 'a=b', 'a;b', '?', 'Ünal', '%2Bx', '%zz%', '%', '%2', '%2z', '%z2', 'a%2zb', '%41%2z']) {
    assert.equal(nameIn(`name=${name}`), new URLSearchParams(`name=${name}`).get('name'), name);
    assert.equal(nameIn(`a=1&name=${name}`), nameIn(`name=${name}`), name);
  }
});

test('each character, and a percent sign with any two behind it, is decoded as the URL Standard says', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((each) => each !== '&');
  for (const first of ascii) {
    for (const second of ascii) {
      for (const name of [`a${first}${second}`, `a%${first}${second}`]) {
        if (nameIn(`name=${name}`) !== new URLSearchParams(`name=${name}`).get('name')) assert.fail(JSON.stringify(name));
      }
    }
  }
});

test('a malformed percent sign is not decoded', () => {
  for (const name of ['%', '%2', '%2z', '%z2', 'a%2zb', '%41%2z', '%zz%']) {
    assert.equal(nameIn(`name=${name}`), name.replace('%41', 'A'));
    assert.equal(nameIn(`a=1&name=${name}`), name.replace('%41', 'A'));
  }
});

test('a parameter that breaks a rule is named with what is wrong with it', () => {
  for (const query of ['name', 'name=', 'a=1&name=', 'name=&name=Ada']) {
    assert.deepEqual(parseGreetingQuery(query), { errors: { name: [validateName('')] } });
  }
  assert.deepEqual(parseGreetingQuery('name=+'), { errors: { name: [validateName(' ')] } });
});

test('a name that is not only white space has no error, from the smallest number of code points to the largest', () => {
  for (const name of [' A ', '\0', ...['a', 'ü', '😀', '\ud800'].flatMap((character) => [character.repeat(MIN), character.repeat(MAX)])]) {
    assert.equal(validateName(name), undefined, name);
  }
});

test('each rule has its own message, with the number of characters that was sent and those that are accepted', () => {
  assert.equal(validateName(''), `The name is empty: ${MIN} to ${MAX} characters are accepted.`);
  for (const character of ['a', 'ü', '😀', '\ud800', ' ']) {
    assert.equal(validateName(character.repeat(MAX + 1)), `The name has ${MAX + 1} characters: ${MIN} to ${MAX} are accepted.`);
  }
  assert.equal(validateName(' '), 'The name is only white space: at least one other character is needed.');
});
