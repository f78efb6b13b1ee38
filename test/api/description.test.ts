// The description is a literal. It is compared here with what the service does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { description, descriptionEndpoint } from '../../src/api/description.ts';
import { createGreetingEndpoint } from '../../src/api/greeting-endpoint.ts';
import { faultInName } from '../../src/api/name.ts';
import { contentReply, unexpectedProblem } from '../../src/http/reply.ts';
import { HttpRequest } from '../../src/http/request.ts';
import { inside, isObject, misfits } from '../support/schema.ts';

const { parameters: [parameter], responses, tags } = description.paths['/api/greetings'].get;
const greeted = responses[200].content['application/json'];
const invalid = responses[400].content['application/problem+json'];
const failed = responses[500].content['application/problem+json'];

const endpoint = createGreetingEndpoint(() => Date.parse(greeted.example.generatedAt));
const replyTo = (query: string) => endpoint({ query, traceparent: invalid.example.traceId });

/** Each object in a JSON value, at any depth. */
const objectsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  [...(isObject(value) ? [value] : []), ...(value instanceof Object ? Object.values(value).flatMap(objectsIn) : [])];

test('it has the version of the package, names no server, nobody has to log in, and each $ref and tag exists', () => {
  const root = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../../../', import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const { openapi, info, security, paths } = description;
  assert.deepEqual([openapi, info.title, info.version, security], ['3.1.1', 'Greeting Service | v1', version, []]);
  assert.deepEqual(Object.entries(paths).map((path) => [path[0], Object.keys(path[1])]), [['/api/greetings', ['get']]]);
  const names = objectsIn(description).flatMap((each) => Object.keys(each));
  assert.ok(!names.includes('servers') && !names.includes('securitySchemes'));
  const references = objectsIn(description).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
  const exist = references.map((each) => isObject(inside(description, ...each.split('/').slice(1))));
  assert.deepEqual([exist, tags], [[true, true, true], description.tags.map(({ name }) => name)]);
  const request = new HttpRequest({ method: 'GET', path: '', query: '', host: '', headers: {} });
  const expected = contentReply(200, 'application/json', JSON.stringify(description));
  assert.deepEqual(descriptionEndpoint(request), expected);
});

test('each example is what the service replies, to the byte', () => {
  for (const [status, { example }, reply] of [
    [200, greeted, replyTo(`name=${encodeURIComponent(parameter.example)}`)],
    [400, invalid, replyTo('name=')],
    [500, failed, unexpectedProblem('/api/greetings')],
  ] as const) {
    const [type = ''] = String(reply.headers['Content-Type']).split(';');
    assert.deepEqual([reply.status, reply.body], [status, JSON.stringify(example)]);
    assert.deepEqual(Object.keys(responses[status].content), [type]);
  }
  assert.deepEqual(Object.keys(responses), ['200', '400', '500']);
});

test('the schema of the name accepts what the service accepts, and has its default', () => {
  const lengths = ['a', '😀', '\ud800'].flatMap((letter) => [1, 79, 80, 81].map((length) => letter.repeat(length)));
  const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  for (const name of ['', ' a ', ' '.repeat(80), ' '.repeat(81), parameter.example, ...lengths, ...characters]) {
    assert.equal(misfits(parameter.schema, name).length === 0, faultInName(name) === undefined, JSON.stringify(name));
  }
  assert.deepEqual([parameter.name, parameter.in, parameter.required], ['name', 'query', false]);
  assert.equal(replyTo('').body, replyTo(`name=${parameter.schema.default}`).body);
});

test('each schema fits the replies, and none with another member, with one less, or with one of another type', () => {
  for (const [{ schema }, ...replies] of [
    [greeted, replyTo(''), replyTo('name=%00%F0%9F%98%80')],
    [invalid, replyTo('name'), replyTo('name=+'), replyTo(`name=${'a'.repeat(81)}`)],
    [failed, unexpectedProblem('/api/greetings'), unexpectedProblem('/a')],
  ] as const) {
    for (const body of replies.map((reply): unknown => JSON.parse(String(reply.body)))) {
      const fits = (value: unknown) => misfits(schema, value, description).length === 0;
      assert.deepEqual(misfits(schema, body, description), []);
      assert.ok(!fits({ ...Object(body), other: '' }));
      for (const name of Object.keys(Object(body))) {
        const { [name]: _, ...others } = Object(body);
        assert.deepEqual([fits(others), fits({ ...others, [name]: [] })], [false, false], name);
      }
    }
  }
  for (const errors of [{}, { name: [] }, { other: ['a'] }]) {
    assert.notDeepEqual(misfits(invalid.schema, { ...invalid.example, errors }, description), []);
  }
});
