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

test('a name is decoded as the URL Standard says', () => {
  for (const [encoded, name] of [
    ['A%64a', 'Ada'], ['%41%20%7E', 'A ~'], ['Ada+L', 'Ada L'], ['%C3%BC', 'ü'], ['%FFa%80', '\ufffda\ufffd'], ['%00A', '\0A'], ['%2Bx', '+x'], ['a=b', 'a=b'], ['a;b', 'a;b'], ['?', '?'],
  ] as const) {
    assert.equal(nameIn(`name=${encoded}`), name);
    assert.equal(nameIn(`a=1&name=${encoded}&a=1`), name);
  }
});

test('each byte in a name, encoded or not, and each escape is decoded as URLSearchParams does', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  const encoded = [...bytes.flatMap((byte) => [`%${byte}`, `%${byte.toUpperCase()}`]), ...bytes.map((byte) => String.fromCharCode(parseInt(byte, 16)))];
  for (const text of encoded) {
    for (const name of [`a${text}b`, `a${text}${text}`]) {
      assert.equal(nameIn(`name=${name}`), new URLSearchParams(`name=${name}`).get('name'), name);
    }
  }
});

test('a percent sign without two hexadecimal digits stays as it is', () => {
  for (const name of ['%', '%2', '%2z', '%z2', 'a%2zb', '%zz%', '%2`', '%`2', '%2/', '%2:', '%2@', '%2G', '%2g']) assert.equal(nameIn(`name=${name}`), name);
});

test('any other key is ignored', () => {
  for (const key of ['', 'Name', 'NAME', 'nam', 'ame', 'names', 'xname', ' name', 'name[]', 'name%00', '+name']) assert.equal(nameIn(`${key}=Ada`), 'World', key);
  assert.equal(nameIn('n%61me=Ada'), 'Ada');
});

test('each spelling of the key is found, and nothing else is, as URLSearchParams does', () => {
  const spellings = Array.from('name', (letter) => [letter, letter.toUpperCase(), `%${letter.charCodeAt(0).toString(16)}`, `%${letter.charCodeAt(0).toString(16).toUpperCase()}`, '%6']);
  const keys = spellings.reduce<readonly string[]>((begun, ways) => begun.flatMap((key) => ways.map((way) => key + way)), ['']);
  for (const key of keys) {
    for (const query of [`${key}=Ada`, `a=1&${key}=Ada&name=Grace`, `${key}&name=Grace`, `a=name=x&${key}=Ada`, `&&${key}==&`]) {
      const expected = new URLSearchParams(query).get('name');
      const result = parseGreetingQuery(query);
      assert.deepEqual(result, expected === '' ? { errors: validateName('') } : { parameters: { name: expected ?? 'World' } }, query);
    }
  }
});

test('a query of 16 KiB full of keys is searched in one pass', () => {
  for (const query of ['a&'.repeat(8_000), 'n&'.repeat(8_000), 'nam&'.repeat(4_000), '%6e&'.repeat(4_000), 'name'.repeat(4_000), `${'&'.repeat(16_000)}name=Ada`]) {
    const start = process.cpuUsage();
    for (let i = 0; i < 100; i += 1) assert.equal(nameIn(query), query.endsWith('Ada') ? 'Ada' : 'World');
    assert.ok(process.cpuUsage(start).user < 10_000_000, 'a search that looks again and again takes a hundred times as long');
  }
});

test('a parameter that breaks a rule is named with what is wrong with it', () => {
  for (const query of ['name', 'name=', 'a=1&name=', 'name=&name=Ada']) {
    assert.deepEqual(parseGreetingQuery(query), { errors: validateName('') });
  }
  assert.deepEqual(parseGreetingQuery('name=+'), { errors: validateName(' ') });
});

test('a name that is not only white space has no error, from the smallest number of code points to the largest', () => {
  for (const name of [' A ', '\0', ...['a', 'ü', '😀', '\ud800'].flatMap((character) => [character.repeat(MIN), character.repeat(MAX)])]) {
    assert.equal(validateName(name), undefined, name);
  }
});

test('each rule has its own message, with the number of characters that was sent and those that are accepted', () => {
  assert.deepEqual(validateName(''), { name: [`The name is empty: ${MIN} to ${MAX} characters are accepted.`] });
  for (const character of ['a', 'ü', '😀', '\ud800', ' ']) {
    assert.deepEqual(validateName(character.repeat(MAX + 1)), { name: [`The name has ${MAX + 1} characters: ${MIN} to ${MAX} are accepted.`] });
  }
  assert.deepEqual(validateName(' '), { name: ['The name is only white space: at least one other character is needed.'] });
});
