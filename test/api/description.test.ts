// The description against the service that it describes. What any description of the service must say is in the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document } from '../../src/api/description.ts';
import { PARAMETERS } from '../../src/api/greeting-query.ts';
import { misfits } from '../support/schema.ts';
import { startService } from '../support/service.ts';
import { request } from '../support/exchange.ts';
import { MAX_NAME_LENGTH as MAX } from '../tools/contract/endpoints.ts';

const operation = document.paths['/api/greetings'].get;
const { GreetingResponse, ValidationProblem, UnexpectedProblem } = document.components.schemas;

const VALUES = [
  '', 'a', ' ', '?', '-1', '\u00a0\ufeff\u3000', '\u0085', '\0',
  ...['a', '😀'].flatMap((letter) => [letter.repeat(MAX), letter.repeat(MAX + 1)]),
];

test('the schema and the rules of each parameter accept the same values, and its example', () => {
  for (const { example, schema, errorIn } of PARAMETERS) {
    for (const value of [example, ...VALUES]) assert.equal(errorIn(value) === undefined, misfits(schema, value).length === 0, value);
    assert.equal(errorIn(example), undefined);
  }
  const name = { type: 'string', minLength: 1, maxLength: MAX, pattern: '\\S', default: 'World' };
  assert.deepEqual(operation.parameters.map(({ in: place, required, schema }) => [place, required, schema]), [['query', false, name]]);
});

test('in Development the service replies with it; its examples fit its schemas and are what the service says', async (t) => {
  const { port } = await startService(t, { development: true });
  const bodyOf = async (target: string) => JSON.parse((await request(port, 'GET', target)).body);
  assert.equal(JSON.stringify(await bodyOf('/openapi/v1.json')), JSON.stringify(document));
  const ok = operation.responses[200].content['application/json']?.example;
  const invalid = Object(operation.responses[400].content['application/problem+json']?.example);
  const failed = operation.responses[500].content['application/problem+json']?.example;
  for (const [schema, example] of [[GreetingResponse, ok], [ValidationProblem, invalid], [UnexpectedProblem, failed]] as const) {
    assert.deepEqual(misfits(schema, example), []);
    const changed = (name: string, value?: string): unknown => JSON.parse(JSON.stringify({ ...Object(example), [name]: value }));
    assert.notDeepEqual(misfits(schema, changed('other', '')), [], 'it has no other members');
    for (const name of Object.keys(Object(example))) assert.notDeepEqual(misfits(schema, changed(name)), [], `${name} is required`);
  }
  const used = Array.from(JSON.stringify(operation.responses).matchAll(/"\$ref":"#\/components\/schemas\/(.*?)"/g), ([, name]) => name);
  assert.deepEqual(used, ['GreetingResponse', 'ValidationProblem', 'UnexpectedProblem']);
  assert.notDeepEqual(misfits(ValidationProblem, { ...invalid, errors: { other: ['It is wrong.'] } }), []);
  assert.deepEqual(await bodyOf('/api/greetings?name=Ada%20Lovelace'), ok);
  assert.deepEqual({ ...await bodyOf('/api/greetings?name='), traceId: '' }, { ...invalid, traceId: '' });
  assert.equal(Object(failed).instance, '/api/greetings');
  assert.equal(Object(ok).message, `Hello, ${operation.parameters[0]?.example}!`);
});

test('each endpoint has an id and a summary, and only tags that are listed; each description is a sentence', () => {
  for (const { get } of Object.values(document.paths)) {
    assert.match(get.operationId, /^get[A-Z]\w+$/);
    assert.match(get.summary, /^[A-Z][\w ]+$/);
    for (const tag of get.tags) assert.ok(document.tags.some(({ name }) => name === tag));
  }
  const formats = Array.from(JSON.stringify(document.components).matchAll(/"format":"(.*?)"/g), ([, format]) => format);
  assert.deepEqual(formats, ['date-time', 'uri', 'uri-reference']);
  for (const [, description = ''] of JSON.stringify(document).matchAll(/"description":"(.*?)"/g)) assert.match(description, /^[A-Z`].+\.$/);
});
