// Each parameter in the table of greeting-query.ts, in every way that a query can have it: as the parser of the URL Standard reads it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_PARAMETERS, PARAMETERS, parseGreetingQuery } from '../../src/api/greeting-query.ts';
import { MAX_NAME_LENGTH as MAX, MIN_NAME_LENGTH as MIN } from '../tools/contract/endpoints.ts';

/** What a query stands for. */
function expected(query: string): unknown {
  const searched = new URLSearchParams(`?${query}`); // it would take a question mark at the start away
  const values = PARAMETERS.map(({ name, errorIn }) => ({ name, value: searched.get(name) ?? DEFAULT_PARAMETERS[name], errorIn }));
  const wrong = values.flatMap(({ name, value, errorIn }) => { const error = errorIn(value); return error === undefined ? [] : [[name, [error]]]; });
  return wrong.length > 0 ? { errors: Object.fromEntries(wrong) } : { parameters: Object.fromEntries(values.map(({ name, value }) => [name, value])) };
}

const hex = (code: number) => code.toString(16).padStart(2, '0');
const bytes = Array.from({ length: 256 }, (_, byte) => byte);
const ESCAPES = ['%', '%2', '%2z', '%z2', 'a%2zb', '%zz%', '%2`', '%`2', '%2/', '%2:', '%2@', '%2G', '%2g', '%C3%BC', '%FFa%80', 'a=b', 'a;b', '?', '+a+', '%2Bx'];
const TEXTS = [...ESCAPES, ...bytes.flatMap((byte) => [`%${hex(byte)}`, `%${hex(byte).toUpperCase()}`, String.fromCharCode(byte)])];

/** Each way to write a key, with a letter changed or left out, too. */
function spellings(name: string): readonly string[] {
  const ways = Array.from(name, (letter) => [letter, letter.toUpperCase(), `%${hex(letter.charCodeAt(0))}`, `%${hex(letter.charCodeAt(0)).toUpperCase()}`, '%6']);
  return ways.reduce<readonly string[]>((begun, letters) => begun.flatMap((key) => letters.map((letter) => key + letter)), ['']);
}

for (const { name, example } of PARAMETERS) {
  const value = encodeURIComponent(example);
  const others = ['', name.slice(1), name.slice(0, -1), `${name}s`, `x${name}`, ` ${name}`, `+${name}`, `?${name}`, `${name}[]`, `${name}%00`, '__proto__', 'constructor'];
  test(`${name}: the value of its first key counts, in each spelling and at each place, and no other key`, () => {
    for (const key of [...spellings(name), ...others]) {
      for (const query of [`${key}=${value}`, `a=1&${key}=${value}&${name}=`, `${key}&${name}=${value}`, `a=${name}=x&${key}=${value}`, `&&${key}==&`]) {
        assert.deepEqual(parseGreetingQuery(query), expected(query), query);
      }
    }
    assert.deepEqual(parseGreetingQuery(`a&${name}=${value}`), { parameters: { ...DEFAULT_PARAMETERS, [name]: example } });
  });

  test(`${name}: each byte, encoded or not, and each escape is decoded`, () => {
    for (const text of TEXTS) {
      for (const query of [`${name}=a${text}b`, `${name}=${text}${text}`, `a=1&${name}=${text}&${name}=a`]) assert.deepEqual(parseGreetingQuery(query), expected(query), query);
    }
  });
}

test('an empty query stands for the default values, and a query can have several errors', () => {
  assert.deepEqual(parseGreetingQuery(''), { parameters: DEFAULT_PARAMETERS });
  const query = PARAMETERS.map(({ name }) => `${name}=`).join('&');
  assert.deepEqual(parseGreetingQuery(query), expected(query));
});

// A query has less than 16 KiB. The bound is what decoding every key of it takes here and now: a search that looks again and again, or
// that decodes other keys, takes more.
test('a query full of other keys is searched in one pass', () => {
  const cpu = (work: () => unknown) => Math.min(...Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    for (let i = 0; i < 20; i += 1) work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  }));
  const bound = cpu(() => new URLSearchParams('a&'.repeat(8_000)).get('name'));
  for (const query of ['a&'.repeat(8_000), 'n&'.repeat(8_000), 'nam&'.repeat(4_000), '%6e&'.repeat(4_000), 'name'.repeat(4_000), `${'&'.repeat(16_000)}name=Ada`]) {
    assert.deepEqual(parseGreetingQuery(query), expected(query));
    const taken = cpu(() => parseGreetingQuery(query));
    assert.ok(taken < bound / 2, `${taken} µs, and ${bound} µs to decode every key`);
  }
});

test('a name has its limits in code points, and each rule its own message', () => {
  const errorIn = (name: string) => PARAMETERS.find((parameter) => parameter.name === 'name')?.errorIn(name);
  for (const name of [' A ', '\0', ...['a', 'ü', '😀', '\ud800'].flatMap((character) => [character.repeat(MIN), character.repeat(MAX)])]) assert.equal(errorIn(name), undefined, name);
  assert.equal(errorIn(''), `The name is empty: ${MIN} to ${MAX} characters are accepted.`);
  for (const character of ['a', 'ü', '😀', '\ud800', ' ']) assert.equal(errorIn(character.repeat(MAX + 1)), `The name has ${MAX + 1} characters: ${MIN} to ${MAX} are accepted.`);
  for (const name of [' ', ' '.repeat(MAX), '\t\u00a0\ufeff']) assert.equal(errorIn(name), 'The name is only white space: at least one other character is needed.');
});
