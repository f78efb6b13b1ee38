// The description is a literal. It is compared here with what the service does; more is in the contract.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { description } from '../../src/api/description.ts';
import { createGreetingEndpoint } from '../../src/api/greeting.ts';
import { faultInName } from '../../src/api/name.ts';
import { unexpectedProblem } from '../../src/http/reply.ts';
import { childTraceparent } from '../../src/http/trace-context.ts';

const { parameters: [parameter], responses, tags } = description.paths['/api/greetings'].get;
const { schemas } = description.components;
const greeted = responses[200].content['application/json'];
const invalid = responses[400].content['application/problem+json'];
const failed = responses[500].content['application/problem+json'];

const endpoint = createGreetingEndpoint(() => Date.parse(greeted.example.generatedAt));
const replyTo = (query: string) => endpoint({ query, traceparent: childTraceparent(undefined) });
const REPLIES = [
  { name: 'GreetingResponse', status: 200, content: greeted, reply: replyTo(`name=${parameter.example}`) },
  { name: 'ValidationProblem', status: 400, content: invalid, reply: replyTo('name=') },
  { name: 'UnexpectedProblem', status: 500, content: failed, reply: unexpectedProblem('/api/greetings') },
] as const;

test('it has the version of the package, and describes each tag', () => {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('#package')), 'utf8'));
  assert.equal(description.info.version, version);
  assert.deepEqual(tags, description.tags.map(({ name }) => name));
});

test('each reply has the status and the type that it says, and the greeting is its example, to the byte', () => {
  for (const { status, reply } of REPLIES) {
    const [type = ''] = String(reply.headers['Content-Type']).split(';');
    assert.deepEqual([reply.status, Object.keys(responses[status].content)], [status, [type]]);
  }
  assert.deepEqual(Object.keys(responses), ['200', '400', '500']);
  assert.equal(REPLIES[0].reply.body, JSON.stringify(greeted.example));
});

test('the schema of the name accepts what the service accepts, and has its default', () => {
  const { type, minLength, maxLength, pattern, default: byDefault } = parameter.schema;
  const lengths = ['a', '😀', '\ud800'].flatMap((letter) => [1, 79, 80, 81].map((length) => letter.repeat(length)));
  const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  for (const name of ['', ' a ', ' '.repeat(80), ' '.repeat(81), parameter.example, ...lengths, ...characters]) {
    const { length } = Array.from(name);
    const isAccepted = length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(name);
    assert.equal(isAccepted, faultInName(name) === undefined, JSON.stringify(name));
  }
  assert.deepEqual([parameter.name, parameter.in, parameter.required, type], ['name', 'query', false, 'string']);
  assert.equal(replyTo('').body, replyTo(`name=${byDefault}`).body);
});

test('the schema of a reply has all its members, with types, constants and patterns, and no others', () => {
  for (const { name, content, reply } of REPLIES) {
    assert.equal(content.schema.$ref, `#/components/schemas/${name}`);
    const { type, additionalProperties, required, properties } = schemas[name];
    const body = JSON.parse(String(reply.body));
    const members = Object.keys(body);
    assert.deepEqual([type, additionalProperties], ['object', false], name);
    assert.deepEqual([Object.keys(properties), required], [members, members]);
    for (const [member, value] of Object.entries(body)) {
      const rules: { type?: string; const?: unknown; pattern?: string; format?: string } = Object(properties)[member];
      assert.ok([undefined, 'date-time', 'uri', 'uri-reference'].includes(rules.format), member);
      assert.equal(rules.type, Number.isInteger(value) ? 'integer' : typeof value, member);
      assert.equal(rules.const ?? value, value);
      assert.match(String(value), new RegExp(rules.pattern ?? '', 'u'));
    }
  }
});
