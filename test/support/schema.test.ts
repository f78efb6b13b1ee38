import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misfits } from './schema.ts';

const schemas = { Name: { type: 'string', minLength: 1, maxLength: 2, pattern: '^\\S+$' }, 'a/b': { enum: [1, 'one'] } };
const list = { type: 'array', minItems: 1, items: { type: 'integer' } };
const closed = { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } }, additionalProperties: false };
const open = { type: 'object', minProperties: 1, additionalProperties: { const: 1 } };

test('what does not fit a schema is named by its place and the keyword', () => {
  for (const [schema, value, ...expected] of [
    [{ $ref: '#/schemas/Name' }, '😀😀'],
    [{ $ref: '#/schemas/Name' }, '', ': does not fit minLength 1', ': does not fit pattern "^\\\\S+$"'],
    [{ $ref: '#/schemas/Name' }, 'abc', ': does not fit maxLength 2'],
    [{ $ref: '#/schemas/a~1b' }, 'one'], [{ $ref: '#/schemas/a~1b' }, 2, ': does not fit enum [1,"one"]'],
    [{ type: ['string', 'null'] }, null], [{ type: ['string', 'null'] }, 1, ': does not fit type ["string","null"]'],
    [{ type: 'string', nullable: true }, null], [{ type: 'string' }, null, ': does not fit type "string"'],
    [{ const: 400 }, 400], [{ const: 400 }, '400', ': does not fit const 400'],
    [list, [], ': does not fit minItems 1'],
    [list, [1, 1.5], '[1]: does not fit type "integer"'], [list, {}, ': does not fit type "array"'],
    [closed, { a: true }], [closed, { b: 1 }, '.a: is missing', '.b: is not allowed'], [closed, [], ': does not fit type "object"'],
    [open, { a: 1, b: 1 }], [open, {}, ': does not fit minProperties 1'],
    [open, { a: 1, b: 2 }, '.b: does not fit const 1'],
  ] as const) assert.deepEqual(misfits(schema, value, { schemas }).sort(), expected.map((misfit) => `$${misfit}`).sort());
});
