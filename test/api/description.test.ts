// The description against the code it describes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document } from '../../src/api/description.ts';
import { DEFAULT_NAME, MAX_NAME_LENGTH, MIN_NAME_LENGTH } from '../../src/api/name.ts';
import { misfits } from '../support/schema.ts';
import { startService } from '../support/service.ts';
import { request } from '../support/wire.ts';

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
  assert.equal(reply.body, JSON.stringify(document));
});

test('it is OpenAPI 3.1 without a custom server or a security scheme', () => {
  assert.match(document.openapi, /^3\.1\.\d+$/);
  assert.deepEqual(document.info, { title: 'Greeting Service | v1', version: '1.0.0' });
  assert.deepEqual(document.security, []);
  assert.equal('servers' in document, false);
  assert.equal('securitySchemes' in document.components, false);
});

test('the one path it lists is a route, and health and the document itself are not listed', async (t) => {
  const { port } = await startService(t, { development: true });
  assert.deepEqual(Object.keys(document.paths), ['/api/greetings']);
  for (const [path, methods] of Object.entries(document.paths)) {
    assert.deepEqual(Object.keys(methods), ['get']);
    assert.equal((await request(port, 'GET', path)).status, 200);
  }
});

test('the bounds and the default of the name are those that validation uses', () => {
  const [parameter] = operation.parameters;
  assert.equal(operation.parameters.length, 1);
  assert.equal(parameter.name, 'name');
  assert.equal(parameter.in, 'query');
  assert.equal(parameter.required, false);
  assert.deepEqual(parameter.schema, {
    type: 'string', minLength: MIN_NAME_LENGTH, maxLength: MAX_NAME_LENGTH, pattern: '\\S', default: DEFAULT_NAME,
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

test('every reply of the service has the media type and fits the schema of its status', async (t) => {
  const { port } = await startService(t, { development: true });
  const failing = await startService(t, { now: () => Number.NaN });
  const schemas = { 200: GreetingResponse, 400: ValidationProblem, 500: UnexpectedProblem } as const;
  assert.deepEqual(Object.keys(operation.responses), Object.keys(schemas));
  for (const [status, target, from] of [[200, '', port], [200, '?name=J%C3%BCrgen', port], [400, '?name=', port], [400, '?name=+', port], [500, '', failing.port]] as const) {
    const reply = await request(from, 'GET', `/api/greetings${target}`);
    assert.equal(reply.status, status);
    assert.ok(reply.headers[0]?.startsWith(`Content-Type: ${Object.keys(operation.responses[status].content).join()}`));
    assert.deepEqual(misfits(schemas[status], JSON.parse(reply.body)), []);
    const refs = Object.values(operation.responses[status].content).map((media) => media.schema.$ref);
    assert.deepEqual(refs.map((ref) => ref.split('/').at(-1)), [Object.entries(document.components.schemas).find(([, schema]) => schema === schemas[status])?.[0]]);
  }
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

test('the schemas are closed, and the check that the tests use sees what does not fit', () => {
  for (const schema of Object.values(document.components.schemas)) {
    assert.equal(schema.additionalProperties, false);
    assert.deepEqual([...schema.required].sort(), Object.keys(schema.properties).sort());
  }
  const greeting = { message: 'Hello, Ada!', generatedAt: '2026-11-20T10:15:30.123+00:00' };
  assert.deepEqual(misfits(GreetingResponse, greeting), []);
  assert.deepEqual(misfits(GreetingResponse, { ...greeting, more: 1 }), ['$.more: is not a known property']);
  assert.deepEqual(misfits(GreetingResponse, { message: 'Hello' }), ['$.generatedAt: is missing']);
  assert.deepEqual(misfits(GreetingResponse, { ...greeting, message: 1 }), ['$.message: is not a string']);
  assert.equal(misfits(GreetingResponse, { ...greeting, generatedAt: '2026-11-20T10:15:30Z' }).length, 1);
  assert.deepEqual(misfits(GreetingResponse, []), ['$: is not an object']);
  assert.deepEqual(misfits({ type: 'array', minItems: 1, items: { type: 'integer' } }, []), ['$: has too few items']);
  assert.deepEqual(misfits({ type: 'array', items: { type: 'integer' } }, [1, 'a']), ['$[1]: is not an integer']);
});
