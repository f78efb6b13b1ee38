// The description against the service that it describes: its parameters, their limits, and each reply. What any description
// of the service must say, and the schemas of this one, are in the rows of the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, response } from '../../src/api/description.ts';
import { DEFAULT_PARAMETERS, MAX_NAME_LENGTH, MIN_NAME_LENGTH } from '../../src/api/greeting-query.ts';
import { descriptionMisfits } from '../tools/contract/openapi.ts';
import { misfits, unknownKeywords } from '../support/schema.ts';
import { startService } from '../support/service.ts';
import { request, type WireReply } from '../support/exchange.ts';

const operation = document.paths['/api/greetings'].get;
const { GreetingResponse, ValidationProblem, UnexpectedProblem } = document.components.schemas;

test('GET /openapi/v1.json in Development is the description, as application/json', async (t) => {
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
  assert.equal(reply.body, JSON.stringify(document));
});

test('the parameters are those that the service reads, and each may be left out', () => {
  const described = operation.parameters.map(({ name, in: place, required, schema }) => [name, place, required, schema.default]);
  assert.deepEqual(described, Object.entries(DEFAULT_PARAMETERS).map(([name, value]) => [name, 'query', false, value]));
});

test('each parameter has a key of errors', () => {
  assert.deepEqual(Object.keys(ValidationProblem.properties.errors.properties), Object.keys(DEFAULT_PARAMETERS));
});

test('what the name schema accepts and refuses, the service accepts and refuses', async (t) => {
  const { port } = await startService(t, { development: true });
  const [{ schema }] = operation.parameters;
  const lengths = [MIN_NAME_LENGTH - 1, MIN_NAME_LENGTH, MAX_NAME_LENGTH, MAX_NAME_LENGTH + 1];
  const names = [...lengths.flatMap((length) => ['a'.repeat(length), '😀'.repeat(length)]), ' ', '\u00a0\ufeff\u3000', '\u0085', '\0'];
  const statuses = await Promise.all(names.map(async (name) => (await request(port, 'GET', `/api/greetings?name=${encodeURIComponent(name)}`)).status));
  assert.deepEqual(statuses, names.map((name) => (misfits(schema, name).length === 0 ? 200 : 400)));
  assert.deepEqual(statuses.slice(0, 8), [400, 400, 200, 200, 200, 200, 400, 400], 'the limits of the schema are tried');
});

// Each parameter refuses at least one of these values.
const BAD_VALUES = ['', ' ', '?', '-1', 'a'.repeat(MAX_NAME_LENGTH + 1)];

/** Sends requests with each bad value for each parameter, for all parameters, and for none. To `failingPort` it sends one that fails. */
function repliesTo(path: string, port: number, failingPort: number): Promise<WireReply[]> {
  const names = Object.keys(DEFAULT_PARAMETERS);
  const queries = BAD_VALUES.map(encodeURIComponent).flatMap((value) => {
    const pairs = names.map((name) => `${name}=${value}`);
    return [...pairs, pairs.join('&')];
  });
  return Promise.all([...['', ...queries].map((query) => request(port, 'GET', `${path}?${query}`)), request(failingPort, 'GET', path)]);
}

test('each reply is described, with each of its members and with each key of its errors', async (t) => {
  const { port } = await startService(t, { development: true });
  const failing = await startService(t, { development: true, now: () => { throw new Error('the clock stopped'); } });
  for (const [path, { get }] of Object.entries(document.paths)) {
    const replies = await repliesTo(path, port, failing.port);
    const seen = replies.map((reply) => ({ send: `GET ${path} `, reply: { ...reply, fields: reply.headers.map(nameAndValue) } }));
    assert.deepEqual(descriptionMisfits(document, path, seen, true), []);
    const statuses = new Set(replies.map(({ status }) => String(status)));
    assert.deepEqual(Array.from(statuses).sort(), Object.keys(get.responses).sort(), `GET ${path} is described with the statuses that it has`);
  }
});

function nameAndValue(line: string): [name: string, value: string] {
  const [name = '', value = ''] = line.split(': ');
  return [name.toLowerCase(), value];
}

test('each key of errors that is described is in a reply', async (t) => {
  const { port } = await startService(t);
  const replies = await repliesTo('/api/greetings', port, port);
  const keys = replies.flatMap(({ body }) => Object.keys(Object(JSON.parse(body).errors)));
  assert.deepEqual(Array.from(new Set(keys)).sort(), Object.keys(ValidationProblem.properties.errors.properties).sort());
});

test('its examples fit its schemas and are what the service says', async (t) => {
  const { port } = await startService(t, { development: true });
  const [parameter] = operation.parameters;
  const ok = operation.responses[200].content['application/json']?.example;
  const invalid = Object(operation.responses[400].content['application/problem+json']?.example);
  const failed = operation.responses[500].content['application/problem+json']?.example;
  assert.deepEqual([misfits(GreetingResponse, ok), misfits(ValidationProblem, invalid), misfits(UnexpectedProblem, failed)], [[], [], []]);
  assert.deepEqual(misfits(parameter.schema, parameter.example), []);
  const greeted = await request(port, 'GET', `/api/greetings?name=${encodeURIComponent(parameter.example)}`);
  assert.deepEqual(JSON.parse(greeted.body), ok);
  const refused: unknown = JSON.parse((await request(port, 'GET', '/api/greetings?name=')).body);
  assert.ok(typeof refused === 'object' && refused !== null && 'traceId' in refused);
  assert.deepEqual({ ...refused, traceId: '' }, { ...invalid, traceId: '' });
  assert.equal(Object(failed).instance, '/api/greetings');
});

test('the example of a reply is a value when the reply is JSON, and its text when it is of any other media type', () => {
  for (const [mediaType, body, example] of [
    ['application/json', '{"a":1}', { a: 1 }], ['application/problem+json', '[]', []], ['text/plain', '1.0.0', '1.0.0'], ['text/plain', '1', '1'], ['application/json5', '{a:1}', '{a:1}'],
  ] as const) {
    const { content } = response('A reply.', mediaType, 'GreetingResponse', { status: 200, fields: [], body });
    assert.deepEqual(content, { [mediaType]: { schema: { $ref: '#/components/schemas/GreetingResponse' }, example } });
  }
});

test('each endpoint has an id, and each of its parameters and replies is described in words, as OpenAPI requires of replies', () => {
  for (const { get } of Object.values(document.paths)) {
    assert.match(get.operationId, /^get[A-Z]\w+$/);
    for (const { description } of Object.values(get.responses)) assert.match(description, /^[A-Z].*\.$/);
  }
  for (const { description } of operation.parameters) assert.match(description, /^[A-Z].*\.$/);
});

test('the check that the tests use knows every keyword of the schemas', () => {
  for (const schema of Object.values(document.components.schemas)) assert.deepEqual(unknownKeywords(schema), []);
  for (const { name, schema } of operation.parameters) assert.deepEqual(unknownKeywords(schema), [], name);
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
