// Each parameter in the table of greeting-query.ts, in every way that a query can have it: as the parser of the URL Standard reads it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_PARAMETERS, PARAMETERS, parseGreetingQuery, patternOf } from '../../src/api/greeting-query.ts';
import { leastCpuTime } from '../support/usage.ts';
import { MAX_NAME_LENGTH as MAX, MIN_NAME_LENGTH as MIN } from '../tools/contract/endpoints.ts';

/** Checks a query against what it stands for. */
function check(query: string): void {
  const searched = new URLSearchParams(`?${query}`); // it would take a question mark at the start away
  const values = PARAMETERS.map(({ name, errorIn }) => ({ name, value: searched.get(name) ?? DEFAULT_PARAMETERS[name], errorIn }));
  const wrong = values.map(({ name, value, errorIn }) => [name, errorIn(value)] as const).filter(([, error]) => error !== undefined);
  const expected = wrong.length > 0
    ? { errors: Object.fromEntries(wrong.map(([name, error]) => [name, [error]])) }
    : { parameters: Object.fromEntries(values.map(({ name, value }) => [name, value])) };
  assert.deepEqual(parseGreetingQuery(query), expected, query);
}

const escapesOf = (code: number) => [code.toString(16), code.toString(16).toUpperCase()].map((digits) => `%${digits.padStart(2, '0')}`);
const TEXTS = [
  '%', '%2', '%2z', '%z2', 'a%2zb', '%zz%', '%2`', '%`2', '%2/', '%2:', '%2@', '%2G', '%2g', '%C3%BC', '%FFa%80',
  'a=b', 'a;b', '?', '+a+', '%2Bx',
  ...Array.from({ length: 256 }, (_, byte) => [...escapesOf(byte), String.fromCharCode(byte)]).flat(),
];

/** Each letter of a key in each way, also changed or left out, among letters that are written as they are, or as escapes. */
function spellings(name: string): readonly string[] {
  const ways = Array.from(name, (letter) => [letter, ...escapesOf(letter.charCodeAt(0)), letter.toUpperCase(), '%6', '']);
  return [0, 1, 2].flatMap((way) => {
    const letters = ways.map((each) => each[way] ?? '');
    return ways.flatMap((each, i) => each.map((letter) => letters.with(i, letter).join('')));
  });
}

for (const { name, example } of PARAMETERS) {
  const value = encodeURIComponent(example);
  const others = [
    '', name.slice(1), name.slice(0, -1), `${name}s`, `x${name}`, ` ${name}`, `+${name}`, `?${name}`, `${name}[]`, `${name}%00`,
    '__proto__', 'constructor',
  ];
  test(`${name}: the value of its first key counts, in each spelling and at each place, and no other key`, () => {
    check('');
    for (const key of [...spellings(name), ...others]) {
      const pair = `${key}=${value}`;
      for (const query of [pair, `a=1&${pair}&${name}=`, `${key}&${name}=${value}`, `a=${name}=x&${pair}`, `&&${key}==&`]) check(query);
    }
    assert.deepEqual(parseGreetingQuery(`a&${name}=${value}`), { parameters: { ...DEFAULT_PARAMETERS, [name]: example } });
  });

  test(`${name}: each byte, encoded or not, and each escape is decoded`, () => {
    for (const text of TEXTS) {
      for (const query of [`${name}=a${text}b`, `a=1&${name}=${text}${text}&${name}=a`]) check(query);
    }
  });
}

test('a key may have any character that is not a space or one of +&=', () => {
  for (const name of ['a.b', '[k]', 'ü']) {
    const escaped = Array.from(Buffer.from(name), (byte) => escapesOf(byte));
    for (const key of [name, name.replace('.', 'x'), ...[0, 1].map((way) => escaped.map((each) => each[way]).join(''))]) {
      const query = `${encodeURI(key).replaceAll('%25', '%')}=1`;
      assert.equal(patternOf(name).exec(query)?.[1] ?? null, new URLSearchParams(query).get(name), query);
    }
  }
});

// A query has less than 16 KiB. The bound is what decoding every key of it takes here and now: a search that looks again and again, or
// that decodes other keys, takes more.
test('a query full of other keys is searched in one pass', () => {
  const cpu = (work: () => unknown) => leastCpuTime(() => { for (let i = 0; i < 20; i += 1) work(); }, 5);
  const bound = cpu(() => new URLSearchParams('a&'.repeat(8_000)).get('name'));
  for (const query of ['a&'.repeat(8_000), 'nam&'.repeat(4_000), '%6e&'.repeat(4_000), 'name'.repeat(4_000), '&'.repeat(16_000)]) {
    const taken = cpu(() => parseGreetingQuery(query));
    assert.ok(taken < bound / 2, `${taken} µs, and ${bound} µs to decode every key`);
  }
});

test('a name has its limits in code points, and each rule its own message', () => {
  const [{ errorIn } = assert.fail('there is no parameter')] = PARAMETERS;
  const accepted = `${MIN} to ${MAX}`;
  const letters = ['a', 'ü', '😀', '\ud800'];
  for (const name of [' A ', '\0', ...letters.map((letter) => letter.repeat(MIN)), ...letters.map((letter) => letter.repeat(MAX))]) {
    assert.equal(errorIn(name), undefined, name);
  }
  assert.equal(errorIn(''), `The name is empty: ${accepted} characters are accepted.`);
  const long = `The name has ${MAX + 1} characters: ${accepted} are accepted.`;
  for (const letter of [...letters, ' ']) assert.equal(errorIn(letter.repeat(MAX + 1)), long);
  const white = 'The name is only white space: at least one other character is needed.';
  for (const name of [' ', ' '.repeat(MAX), '\t\u00a0\ufeff']) assert.equal(errorIn(name), white);
});
