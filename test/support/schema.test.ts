import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misfits, unknownKeywords } from './schema.ts';

const schemas = { Name: { type: 'string', minLength: 1, maxLength: 2, pattern: '^\\S+$' }, 'a/b': { enum: [1, 'one'] } };
const list = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'integer' } };
const closed = { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } }, additionalProperties: false };
const open = { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { minimum: 1, maximum: 2 } };

test('what does not fit a schema is named by its place and the keyword, and keywords that are not checked are known', () => {
  for (const [schema, value, ...expected] of [
    [{ $ref: '#/schemas/Name' }, '😀😀'],
    [{ $ref: '#/schemas/Name' }, '', ': does not fit minLength 1', ': does not fit pattern "^\\\\S+$"'],
    [{ $ref: '#/schemas/Name' }, 'abc', ': does not fit maxLength 2'],
    [{ $ref: '#/schemas/a~1b' }, 'one'], [{ $ref: '#/schemas/a~1b' }, 2, ': does not fit enum [1,"one"]'],
    [{ type: ['string', 'null'] }, null], [{ type: ['string', 'null'] }, 1, ': does not fit type ["string","null"]'],
    [{ type: 'string', nullable: true }, null], [{ type: 'string' }, null, ': does not fit type "string"'],
    [{ const: 400 }, 400], [{ const: 400 }, '400', ': does not fit const 400'],
    [list, [], ': does not fit minItems 1'], [list, [1, 2, 3], ': does not fit maxItems 2'],
    [list, [1, 1.5], '[1]: does not fit type "integer"'], [list, {}, ': does not fit type "array"'],
    [closed, { a: true }], [closed, { b: 1 }, '.a: is missing', '.b: is not allowed'], [closed, [], ': does not fit type "object"'],
    [open, { a: 1, b: 2 }], [open, {}, ': does not fit minProperties 1'],
    [open, { a: 0, b: 3, c: 'x' }, ': does not fit maxProperties 2', '.a: does not fit minimum 1', '.b: does not fit maximum 2'],
    [{ allOf: [true, { minLength: 2 }] }, 'a', ': does not fit allOf [true,{"minLength":2}]'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null], [{ anyOf: [{ type: 'null' }] }, 1, ': does not fit anyOf [{"type":"null"}]'],
    [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1.5], [{ oneOf: [true, true] }, 1, ': does not fit oneOf [true,true]'],
  ] as const) assert.deepEqual(misfits(schema, value, { schemas }).sort(), expected.map((misfit) => `$${misfit}`).sort());
  const others = { if: {}, properties: { a: { items: { contains: {} } } }, additionalProperties: { not: {} } };
  assert.deepEqual(unknownKeywords(others), ['if', 'contains', 'not']);
});
