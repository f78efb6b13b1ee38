// The description against the service that it describes. What any description of the service must say, the schemas of this one, and
// that each reply is described, are in the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document, response } from '../../src/api/description.ts';
import { DEFAULT_PARAMETERS } from '../../src/api/greeting-query.ts';
import { misfits, unknownKeywords } from '../support/schema.ts';
import { startService } from '../support/service.ts';
import { request } from '../support/exchange.ts';
import { MAX_NAME_LENGTH as MAX } from '../tools/contract/endpoints.ts';

const operation = document.paths['/api/greetings'].get;
const { GreetingResponse, ValidationProblem, UnexpectedProblem } = document.components.schemas;

test('GET /openapi/v1.json in Development is the description', async (t) => {
  const { port } = await startService(t, { development: true });
  assert.equal((await request(port, 'GET', '/openapi/v1.json')).body, JSON.stringify(document));
});

test('each parameter that has a default value is described with it', () => {
  const described = operation.parameters.map(({ name, in: place, required, schema }) => [name, place, required, schema.default]);
  assert.deepEqual(described, Object.entries(DEFAULT_PARAMETERS).map(([name, value]) => [name, 'query', false, value]));
});

const VALUES = [
  '', 'a', ' ', '?', '-1', '\u00a0\ufeff\u3000', '\u0085', '\0',
  ...['a', '😀'].flatMap((letter) => [letter.repeat(MAX), letter.repeat(MAX + 1)]),
];

for (const { name, example, schema } of operation.parameters) {
  test(`what the schema of ${name} accepts and refuses, the service accepts and refuses`, async (t) => {
    const { port } = await startService(t);
    const statusOf = async (value: string) => (await request(port, 'GET', `/api/greetings?${name}=${encodeURIComponent(value)}`)).status;
    const statuses = await Promise.all([example, ...VALUES].map(statusOf));
    assert.deepEqual(statuses, [example, ...VALUES].map((value) => (misfits(schema, value).length === 0 ? 200 : 400)));
    assert.deepEqual(statuses.slice(0, 2), [200, 400], 'the example is accepted, and an empty value is not');
  });
}

test('its examples fit its schemas and are what the service says', async (t) => {
  const { port } = await startService(t);
  const ok = operation.responses[200].content['application/json']?.example;
  const invalid = Object(operation.responses[400].content['application/problem+json']?.example);
  const failed = operation.responses[500].content['application/problem+json']?.example;
  assert.deepEqual([misfits(GreetingResponse, ok), misfits(ValidationProblem, invalid), misfits(UnexpectedProblem, failed)], [[], [], []]);
  const bodyOf = async (name: string) => JSON.parse((await request(port, 'GET', `/api/greetings?name=${encodeURIComponent(name)}`)).body);
  assert.deepEqual(await bodyOf('Ada Lovelace'), ok);
  assert.deepEqual({ ...await bodyOf(''), traceId: '' }, { ...invalid, traceId: '' });
  assert.equal(Object(failed).instance, '/api/greetings');
});

test('the example of a reply is a value when the reply is JSON, and its text when it is of any other media type', () => {
  for (const [mediaType, body, example] of [
    ['application/json', '{"a":1}', { a: 1 }], ['application/problem+json', '[]', []], ['text/plain', '1', '1'],
    ['application/json5', '{a:1}', '{a:1}'],
  ] as const) {
    const { content } = response('A reply.', mediaType, 'GreetingResponse', { status: 200, fields: [], body });
    assert.deepEqual(content, { [mediaType]: { schema: { $ref: '#/components/schemas/GreetingResponse' }, example } });
  }
});

/** All values of the members with this name, at any depth. */
const valuesOf = (key: string, inside: unknown): unknown[] => Object.entries(Object(inside)).flatMap(([name, value]) =>
  (name === key && typeof value === 'string' ? [value] : typeof value === 'object' ? valuesOf(key, value) : []));

test('each endpoint has an id and a summary, and only tags that are listed; each description is a sentence', () => {
  for (const { get } of Object.values(document.paths)) {
    assert.match(get.operationId, /^get[A-Z]\w+$/);
    assert.match(get.summary, /^[A-Z][\w ]+$/);
    assert.deepEqual(get.tags, document.tags.map(({ name }) => name));
  }
  for (const description of valuesOf('description', document)) assert.match(String(description), /^[A-Z`].+\.$/);
});

test('the check that the tests use knows every keyword of the schemas', () => {
  for (const schema of [...Object.values(document.components.schemas), ...operation.parameters.map((parameter) => parameter.schema)]) {
    assert.deepEqual(unknownKeywords(schema), []);
  }
});
