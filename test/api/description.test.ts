// The description against a file that a person can read, and against the code it describes. What any description
// of the service must say, and that every reply fits its schema, are rows of the contract.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { document } from '../../src/api/description.ts';
import { DEFAULT_PARAMETERS, MAX_NAME_LENGTH, MIN_NAME_LENGTH } from '../../src/api/greeting-query.ts';
import { misfits, unknownKeywords } from '../support/schema.ts';
import { startService } from '../support/service.ts';
import { request } from '../support/wire.ts';

// Compiled tests lie one folder deeper, and the file is not copied to it.
const file = new URL(import.meta.url.endsWith('.ts') ? 'description.json' : '../../../test/api/description.json', import.meta.url);
const expected: unknown = JSON.parse(readFileSync(file, 'utf8'));

const operation = document.paths['/api/greetings'].get;
const { GreetingResponse, ValidationProblem, UnexpectedProblem } = document.components.schemas;

test('GET /openapi/v1.json in Development is the document, as application/json', async (t) => {
  const { port } = await startService(t, { development: true });
  const reply = await request(port, 'GET', '/openapi/v1.json');
  assert.equal(reply.statusLine, 'HTTP/1.1 200 OK');
  assert.deepEqual(reply.headers, [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(reply.body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Date: now',
    'Connection: close',
  ]);
  assert.deepEqual(JSON.parse(reply.body), expected);
});

test('the document is that of the file description.json, word for word', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(document)), expected);
});

test('the bounds and the default of the name are those that validation uses', () => {
  const [parameter] = operation.parameters;
  assert.equal(operation.parameters.length, 1);
  assert.equal(parameter.name, 'name');
  assert.equal(parameter.in, 'query');
  assert.equal(parameter.required, false);
  assert.deepEqual(parameter.schema, {
    type: 'string', minLength: MIN_NAME_LENGTH, maxLength: MAX_NAME_LENGTH, pattern: '\\S', default: DEFAULT_PARAMETERS.name,
  });
});

test('what the name schema accepts and refuses, the service accepts and refuses', async (t) => {
  const { port } = await startService(t, { development: true });
  const [{ schema }] = operation.parameters;
  const names = ['', 'A', 'a'.repeat(80), 'a'.repeat(81), '😀'.repeat(80), '😀'.repeat(81), ' ', '\u00a0\ufeff\u3000', '\u0085', '\0'];
  for (const name of names) {
    const { status } = await request(port, 'GET', `/api/greetings?name=${encodeURIComponent(name)}`);
    assert.equal(status, misfits(schema, name).length === 0 ? 200 : 400, JSON.stringify(name));
  }
});

test('each reply is described by the schema of its status', () => {
  const described = Object.entries(operation.responses).map(([status, { content }]) => [status, Object.entries(content).map(([type, { schema }]) => [type, schema.$ref])]);
  assert.deepEqual(described, [
    ['200', [['application/json', '#/components/schemas/GreetingResponse']]],
    ['400', [['application/problem+json', '#/components/schemas/ValidationProblem']]],
    ['500', [['application/problem+json', '#/components/schemas/UnexpectedProblem']]],
  ]);
});

test('its examples fit its schemas and are what the service says', async (t) => {
  const { port } = await startService(t, { development: true });
  const [parameter] = operation.parameters;
  const ok = operation.responses[200].content['application/json']?.example;
  const invalid = operation.responses[400].content['application/problem+json']?.example;
  const failed = operation.responses[500].content['application/problem+json']?.example;
  assert.deepEqual([misfits(GreetingResponse, ok), misfits(ValidationProblem, invalid), misfits(UnexpectedProblem, failed)], [[], [], []]);
  assert.deepEqual(misfits(parameter.schema, parameter.example), []);
  const greeted = await request(port, 'GET', `/api/greetings?name=${encodeURIComponent(parameter.example)}`);
  assert.deepEqual(JSON.parse(greeted.body), ok);
  const refused: unknown = JSON.parse((await request(port, 'GET', '/api/greetings?name=')).body);
  assert.ok(typeof refused === 'object' && refused !== null && 'traceId' in refused);
  assert.deepEqual({ ...refused, traceId: '' }, { ...invalid, traceId: '' });
});

test('the schemas are closed, and the check that the tests use knows every keyword in them', () => {
  for (const schema of Object.values(document.components.schemas)) {
    assert.equal(schema.additionalProperties, false);
    assert.deepEqual([...schema.required].sort(), Object.keys(schema.properties).sort());
    assert.deepEqual(unknownKeywords(schema), []);
  }
});

const referred = {
  schemas: {
    Name: { type: 'string', minLength: 1, maxLength: 2, pattern: '^\\S+$' },
    'a/b': { enum: [1, 'one'] },
  },
};

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
  [{ type: 'array', minItems: 1, maxItems: 2, items: { type: 'integer' } }, [], ['$: has too few items']],
  [{ type: 'array', minItems: 1, maxItems: 2, items: { type: 'integer' } }, [1, 2, 3], ['$: has too many items']],
  [{ type: 'array', items: { type: 'integer' } }, [1, 'a'], ['$[1]: is not integer']],
  [{ type: 'array' }, {}, ['$: is not array']],
  [{ type: 'object', required: ['a'], properties: { a: { type: 'boolean' } }, additionalProperties: false }, { a: true }, []],
  [{ type: 'object', required: ['a'], properties: { a: { type: 'boolean' } }, additionalProperties: false }, { b: 1 }, ['$.a: is missing', '$.b: is not a known property']],
  [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 1 }, ['$.a: is not string']],
  [{ type: 'object' }, [], ['$: is not object']],
  [{ allOf: [{ type: 'string' }, { minLength: 2 }] }, 'a', ['$: is too short']],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, ['$: fits none of anyOf']],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, []],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1, ['$: does not fit exactly one of oneOf']],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1.5, []],
  [false, 1, ['$: is not allowed']],
  [true, 1, []],
];
test('the check of schemas that the tests use sees what does not fit', () => {
  for (const [schema, value, expected] of cases) {
    assert.deepEqual(misfits(schema, value, referred), expected, `${JSON.stringify(value)} ${JSON.stringify(schema)}`);
  }
  assert.deepEqual(unknownKeywords({ if: {}, properties: { a: { items: { contains: {} } } }, additionalProperties: { not: {} } }), ['if', 'contains', 'not']);
});
