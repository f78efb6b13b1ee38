import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addField, colonIn, NAMES, type Fields } from '../../src/http/fields.ts';
import type { Line } from '../../src/http/lines.ts';
import { TOKEN } from '../support/characters.ts';

/** A line in the middle of other bytes, in which code that reads past the line would find what it looks for. */
function lineOf(text: string): Line {
  const around = `a: \t${text}\r\n:b:`;
  return { bytes: Buffer.from(around, 'latin1'), text: around, start: 4, end: 4 + text.length };
}

/** The values of these field lines, which are all legal. */
function fieldsOf(...lines: readonly string[]): Fields {
  const fields: Fields = {};
  for (const line of lines) assert.equal(addField(fields, lineOf(line)), undefined, JSON.stringify(line));
  return fields;
}

for (const name of NAMES) {
  test(`${name} is kept, in any case, and two lines are one value with a comma`, () => {
    const mixed = Array.from(name, (character, i) => (i % 2 === 0 ? character.toLowerCase() : character.toUpperCase())).join('');
    for (const spelled of [name, name.toUpperCase(), mixed]) assert.deepEqual(fieldsOf(`${spelled}: a`), { [name]: 'a' });
    assert.deepEqual(fieldsOf(`${name}:`, `${mixed}:a`, `X: ${name}: b`, `${name}:`), { [name]: ', a, ' });
  });

  test(`no name that is nearly ${name} is taken for it`, () => {
    const others = Array.from(name, (own, i) => Array.from(TOKEN).filter((each) => each.toLowerCase() !== own)
      .map((each) => name.slice(0, i) + each + name.slice(i + 1))).flat();
    for (const other of [...others, `${name}x`, `x${name}`, name.slice(1), name.slice(0, -1), '__proto__', 'constructor']) {
      assert.deepEqual(fieldsOf(`${other}: a`), {}, other);
    }
  });
}

test('spaces and tabs around a value are no part of it, and all other characters are', () => {
  for (const [line, host] of [['Host:', ''], ['Host: \t \t', ''], ['Host:a', 'a'], ['Host: a \t c ', 'a \t c'], ['Host:: a:', ': a:']]) {
    assert.deepEqual(fieldsOf(line ?? ''), { host }, line);
  }
});

test('where the bytes end, a name has no colon', () => {
  assert.equal(colonIn({ bytes: Buffer.from('a'), text: 'a', start: 0, end: 1 }), -1);
});
