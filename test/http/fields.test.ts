// The fields that mean something here. Which lines are legal, and what their values may be, is in grammar.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addField, colonIn, NAMES, type Fields } from '../../src/http/fields.ts';

/** The values of these field lines, each of which stands between other bytes that would have a meaning, too. */
function fieldsOf(...lines: readonly string[]): Fields {
  const fields: Fields = {};
  for (const line of lines) {
    const text = `a: \t${line}\r\n:b:`;
    const fault = addField(fields, { bytes: Buffer.from(text, 'latin1'), text, start: 4, end: 4 + line.length });
    assert.equal(fault, undefined, line);
  }
  return fields;
}

for (const name of NAMES) {
  test(`${name} is kept, in any case, and two lines are one value with a comma; no other name is taken for it`, () => {
    const mixed = Array.from(name, (character, i) => (i % 2 === 0 ? character : character.toUpperCase())).join('');
    assert.deepEqual(fieldsOf(`${name}:`, `${mixed}: \ta `, `X: ${name}: b`, `${name.toUpperCase()}:`), { [name]: ', a, ' });
    for (const other of [`${name}x`, `x${name}`, name.slice(1), name.slice(0, -1)]) assert.deepEqual(fieldsOf(`${other}: a`), {});
  });
}

test('where the bytes end, a name has no colon', () => {
  assert.equal(colonIn({ bytes: Buffer.from('a'), text: 'a', start: 0, end: 1 }), -1);
});
