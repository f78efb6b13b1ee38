// The fields that mean something here. Which lines are legal, and what their values may be, is in grammar.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addField, NAMES, type Fields } from '../../src/http/fields.ts';

/** The values of these field lines. */
function fieldsOf(...lines: readonly string[]): Fields {
  const fields: Fields = {};
  for (const line of lines) assert.equal(addField(fields, line), undefined, line);
  return fields;
}

for (const name of NAMES) {
  test(`${name} is kept, in any case, and two lines are one value with a comma; no other name is taken for it`, () => {
    const mixed = Array.from(name, (character, i) => (i % 2 === 0 ? character : character.toUpperCase())).join('');
    assert.deepEqual(fieldsOf(`${name}:`, `${mixed}: \ta `, `X: ${name}: b`, `${name.toUpperCase()}:`), { [name]: ', a, ' });
    for (const other of [`${name}x`, `x${name}`, name.slice(1), name.slice(0, -1)]) assert.deepEqual(fieldsOf(`${other}: a`), {});
  });
}
