import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colonIn, Fields } from '../../src/http/fields.ts';
import type { Line } from '../../src/http/lines.ts';

const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** A line in the middle of other bytes, in which whoever leaves the line would find what is looked for. */
function lineOf(text: string): Line {
  const around = `a: \t${text}:b:\r\n`;
  return { bytes: Buffer.from(around, 'latin1'), text: around, start: 4, end: 4 + text.length };
}

/** The values of these field lines, which are all legal. */
function fieldsOf(...lines: readonly string[]): Fields {
  const fields = new Fields();
  for (const line of lines) assert.equal(fields.add(lineOf(line)), true, JSON.stringify(line));
  return fields;
}

type Values = { readonly [name in keyof Fields]?: Fields[name] };

/** These values, and no other. */
const fieldsWith = (values: Values): Fields => Object.assign(new Fields(), values);

test('without a field there is no value', () => {
  assert.deepEqual({ ...new Fields() }, {
    host: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    connection: undefined,
    expect: undefined,
    traceparent: undefined,
  });
});

for (const [name, member] of [
  ['Host', 'host'],
  ['Content-Length', 'contentLength'],
  ['Transfer-Encoding', 'transferEncoding'],
  ['Connection', 'connection'],
  ['Expect', 'expect'],
  ['traceparent', 'traceparent'],
] as const) {
  test(`${name} is kept, in any case, and two lines are one value with a comma`, () => {
    const mixed = Array.from(name, (character, i) => (i % 2 === 0 ? character.toLowerCase() : character.toUpperCase())).join('');
    for (const spelled of [name, name.toLowerCase(), name.toUpperCase(), mixed]) {
      assert.deepEqual(fieldsOf(`${spelled}: a`), fieldsWith({ [member]: 'a' }));
    }
    assert.deepEqual(fieldsOf(`${name}: a`, `${mixed}:b`), fieldsWith({ [member]: 'a, b' }));
    assert.deepEqual(fieldsOf(`${name}:`, `${name}: a`, 'X: y', `${name}:`), fieldsWith({ [member]: ', a, ' }));
  });

  test(`no name that is nearly ${name} is taken for it`, () => {
    const others = Array.from(name, (character, i) => name.slice(0, i) + (character === 'x' ? 'y' : 'x') + name.slice(i + 1));
    const longer = [`${name}x`, `x${name}`, name.slice(1), name.slice(0, -1), name.replace('-', '_'), name.replace('-', '--')];
    for (const other of [...others, ...longer].filter((each) => each !== name)) {
      assert.deepEqual(fieldsOf(`${other}: a`), fieldsWith({}), other);
    }
  });
}

test('all of them together, and other fields of the same lengths', () => {
  const lengths = ['From', 'Cookie', 'Upgrade', 'Retry-After', 'User-Agent', 'Accept-Charset', 'Content-Encoding', 'If-Modified-Since'];
  const others = lengths.map((name) => `${name}: chunked`);
  const lines = ['Host: a', 'Content-Length: 1', 'Transfer-Encoding: b', 'Connection: c', 'Expect: d', 'traceparent: e'];
  assert.deepEqual(fieldsOf(...others, ...lines, ...others), fieldsWith({
    host: 'a', contentLength: '1', transferEncoding: 'b', connection: 'c', expect: 'd', traceparent: 'e',
  }));
});

test('a value that is the name of a field is no field', () => {
  const names = ['host', 'expect', 'connection', 'traceparent', 'content-length', 'transfer-encoding'];
  assert.deepEqual(fieldsOf(...names.map((name) => `X: ${name}`), ...names.map((name) => `Y: ${name}: a`)), fieldsWith({}));
});

for (const [line, value] of [
  ['Host:', ''],
  ['Host: ', ''],
  ['Host: \t \t', ''],
  ['Host:a', 'a'],
  ['Host: a', 'a'],
  ['Host:\ta', 'a'],
  ['Host: \t a', 'a'],
  ['Host:a ', 'a'],
  ['Host:a \t \t', 'a'],
  ['Host: a  b\t c ', 'a  b\t c'],
  ['Host: :a:', ':a:'],
  ['Host:: a', ': a'],
] as const) {
  test(`the value of ${JSON.stringify(line)} is ${JSON.stringify(value)}`, () => {
    assert.deepEqual(fieldsOf(line), fieldsWith({ host: value }));
  });
}

test('spaces and tabs around a value are no part of it, and all other characters are', () => {
  for (const character of characters) {
    const isWhiteSpace = character === ' ' || character === '\t';
    for (const [text, value] of [
      [character, character],
      [`${character}a`, `${character}a`],
      [`a${character}`, `a${character}`],
      [` ${character}a${character}\t`, `${character}a${character}`],
    ] as const) {
      const host = isWhiteSpace ? value.replaceAll(character, '') : value;
      assert.deepEqual(fieldsOf(`Host: ${text}`), fieldsWith({ host }), JSON.stringify(text));
    }
    assert.deepEqual(fieldsOf(`Host: a${character}b`), fieldsWith({ host: `a${character}b` }));
  }
});

for (const [line, colon] of [
  ['a:', 1],
  ['a:b', 1],
  ['a:b:c', 1],
  ['a::', 1],
  ['Content-Type: a', 12],
  [`${TOKEN}: a`, TOKEN.length],
  ['', -1],
  ['a', -1],
  [':', -1],
  [': a', -1],
  ['a :', -1],
  ['a\t:', -1],
  [' a:', -1],
  ['\ta:', -1],
  ['a b:', -1],
  ['a;:', -1],
  ['a\0:', -1],
  ['\xe9:', -1],
] as const) {
  test(`the colon behind the name in ${JSON.stringify(line)} is at ${colon}, and a line without it changes nothing`, () => {
    const found = lineOf(line);
    assert.equal(colonIn(found), colon === -1 ? -1 : found.start + colon);
    const fields = fieldsWith({ host: 'a' });
    assert.equal(fields.add(found), colon !== -1);
    assert.deepEqual(fields, fieldsWith({ host: 'a' }));
  });
}

test('a name has the characters of a token, and no others', () => {
  for (const character of characters.filter((each) => each !== ':')) {
    const isToken = TOKEN.includes(character);
    for (const name of [character, `${character}a`, `a${character}b`, `a${character}`]) {
      assert.equal(colonIn(lineOf(`${name}: b`)), isToken ? 4 + name.length : -1, JSON.stringify(name));
    }
  }
});
