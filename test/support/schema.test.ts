import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misfits, unknownKeywords } from './schema.ts';

const schemas = { Name: { type: 'string', minLength: 1, maxLength: 2, pattern: '^\\S+$' }, 'a/b': { enum: [1, 'one'] } };
const list = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'integer' } };
const closed = { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } }, additionalProperties: false };

const cases: readonly (readonly [schema: unknown, value: unknown, misfits: readonly string[]])[] = [
  [{ $ref: '#/schemas/Name' }, '😀😀', []],
  [{ $ref: '#/schemas/Name' }, '', ['$: does not match ^\\S+$', '$: is too short']],
  [{ $ref: '#/schemas/Name' }, 'abc', ['$: is too long']],
  [{ $ref: '#/schemas/a~1b' }, 'one', []],
  [{ $ref: '#/schemas/a~1b' }, 2, ['$: is none of [1,"one"]']],
  [{ type: 'integer', minimum: 1, maximum: 2 }, 1.5, ['$: is not integer']],
  [{ type: 'integer', minimum: 1, maximum: 2 }, 0, ['$: is too small']],
  [{ type: 'integer', minimum: 1, maximum: 2 }, 3, ['$: is too large']],
  [{ type: ['string', 'null'] }, null, []],
  [{ type: ['string', 'null'] }, 1, ['$: is not string or null']],
  [{ type: 'string', nullable: true }, null, []],
  [{ const: 400 }, '400', ['$: is not 400']],
  [list, [], ['$: has too few items']],
  [list, [1, 2, 3], ['$: has too many items']],
  [list, [1, 'a'], ['$[1]: is not integer']],
  [list, {}, ['$: is not array']],
  [closed, { a: true }, []],
  [closed, { b: 1 }, ['$.a: is missing', '$.b: is not a known property']],
  [{ type: 'object', minProperties: 1 }, {}, ['$: has too few members']],
  [{ type: 'object', minProperties: 1, additionalProperties: { type: 'string' } }, { a: 1 }, ['$.a: is not string']],
  [{ type: 'object' }, [], ['$: is not object']],
  [{ allOf: [{ type: 'string' }, { minLength: 2 }] }, 'a', ['$: is too short']],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, ['$: fits none of anyOf']],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, []],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1, ['$: does not fit exactly one of oneOf']],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1.5, []],
  [false, 1, ['$: is not allowed']],
  [true, 1, []],
];

test('the check of schemas sees what does not fit, and names the keywords that it does not know', () => {
  for (const [schema, value, expected] of cases) assert.deepEqual(misfits(schema, value, { schemas }), expected, `${JSON.stringify(value)} ${JSON.stringify(schema)}`);
  assert.deepEqual(unknownKeywords({ if: {}, properties: { a: { items: { contains: {} } } }, additionalProperties: { not: {} } }), ['if', 'contains', 'not']);
});
