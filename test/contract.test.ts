// Each row of the contract against the service in this process, over real sockets, with either server. A second service has a clock that
// throws. Of each head every byte is compared. SERVER=node holds each row, except those that are listed. The command is tested in
// tools/contract/main.test.ts.
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { document } from '../src/api/description.ts';
import { repliesIn, type Reply } from './support/replies.ts';
import { startService } from './support/service.ts';
import { decisions } from './tools/contract/decisions.ts';
import { status } from './tools/contract/expectation.ts';
import { NODE_DIFFERS, NODE_MAY_DIFFER } from './tools/contract/node-differs.ts';
import { describeDifference } from './tools/contract/report.ts';
import { hold, row, type Row, type Subject } from './tools/contract/row.ts';
import { EXCEPTION_TEXT, specification } from './tools/contract/specification.ts';
import { forEach, talker, type Talk, type Talker } from './tools/contract/talk.ts';
import { wire } from './tools/contract/wire.ts';

const IN_DEVELOPMENT = { authority: 'localhost', isSecure: false, environment: 'development' } as const;
const IN_PRODUCTION = { ...IN_DEVELOPMENT, environment: 'production' } as const;
const rowsOf = (subject: Subject, ...parts: readonly (typeof wire)[]) => parts.flatMap((part) => Object.values(part(subject)).flat());
const OF_DEVELOPMENT = rowsOf(IN_DEVELOPMENT, specification, decisions);
const OF_PRODUCTION = rowsOf(IN_PRODUCTION, specification, decisions, wire)
  .filter((row) => !OF_DEVELOPMENT.some(({ says }) => says === row.says));

for (const kind of ['strict', 'node'] as const) {
  test(`SERVER=${kind}, in Development: the specification and the decisions`, (t) => check(t, kind, true, OF_DEVELOPMENT));
  test(`SERVER=${kind}, in Production: the wire, and that there is no description`, (t) => check(t, kind, false, OF_PRODUCTION));
}

/** Holds the service to these rows. */
async function check(t: TestContext, kind: 'strict' | 'node', development: boolean, rows: readonly Row[]): Promise<void> {
  const { port, reported } = await startService(t, { kind, development, now: Date.now });
  const failing = await startService(t, { kind, development, now: () => { throw new Error(EXCEPTION_TEXT); } });

  await forEach(rows.filter(({ says }) => kind === 'strict' || !NODE_MAY_DIFFER.has(says)), async (row) => {
    const differs = kind === 'node' && NODE_DIFFERS.has(row.says);
    const talk = talker(() => connect(row.needs === 'an exception' ? failing.port : port, '127.0.0.1'), differs ? 500 : 30_000);
    const steps = row.steps.map((step) => ({ ...step, closes: true })); // each connection ends
    const result = await hold({ ...row, steps }, async (bytes) => {
      const talked = await talk(bytes, Infinity);
      if (differs) return talked;
      const { replies, end } = talked;
      for (const [i, reply] of replies.entries()) {
        assert.deepEqual([reply.statusLine, ...reply.headers], headOf(reply, i === replies.length - 1), row.says);
      }
      assert.ok(end === 'closed' || kind === 'node', row.says);
      return talked;
    });
    if (differs) assert.notEqual(result, 'holds', row.says);
    else if (result !== 'holds') assert.fail(`${row.says}\n${describeDifference(result)}`);
  });
  assert.deepEqual(reported, [], 'no request of a client causes an error in the service');
}

test('each row that is listed for SERVER=node exists, and no expectation accepts a value that is wrong there', () => {
  const all = [...OF_DEVELOPMENT, ...OF_PRODUCTION];
  assert.deepEqual([...NODE_DIFFERS, ...NODE_MAY_DIFFER].filter((says) => !all.some((row) => row.says === says)), []);
  for (const { text, accepts, wrong } of all.flatMap(({ steps }) => steps.flatMap(({ replies }) => replies.flat()))) {
    for (const value of wrong) assert.ok(!accepts(value, Date.now()), `${text}: ${JSON.stringify(value)}`);
  }
});

test('a row differs if a reply is wrong or missing, if more comes, and if the connection stays open', async () => {
  const both = row('', { send: '', replies: [[status(200)], [status(404)]], closes: true });
  const [ok, none] = [replyOf(200, 'a'), replyOf(404, '')];
  for (const [end, text, ...expected] of [
    ['closed', ok + none],
    ['closed', none + none, 'reply 1: status 200'],
    ['closed', ok, 'reply 2: status 404'],
    ['closed', ok + none + ok, 'nothing after the last reply'],
    ['reset', `${ok}${none}x`, 'nothing after the last reply'],
    ['late', ok + none, 'the connection is closed'],
  ] as const) assert.deepEqual(await differences(both, sending(text, end)), expected);
});

test('a traceId that comes again is found, and so is a reply that does not fit the description', async () => {
  const [traced, described] = OF_DEVELOPMENT.filter(({ misfits }) => misfits !== undefined);
  assert.ok(traced !== undefined && described !== undefined);
  assert.deepEqual(await differences(traced, sending(replyOf(400, '{"traceId":"1"}'))), [
    'a traceId that differs on every request, but 10 replies have 1',
  ]);
  const [first] = await differences(described, sending(replyOf(200, JSON.stringify(document))));
  assert.equal(first, 'a reply that fits the description, but a 200 of application/json does not: $.message: is missing');
});

test('names of fields, framing and the notation of JSON may be others', async () => {
  const content = `{ "generatedAt": "${new Date().toISOString().replace('Z', '+00:00')}", "other": 1, "message": "Hello, World\\u0021" }`;
  const reply = ['HTTP/1.1 200', 'x-other: a', 'content-TYPE:application/JSON;  Charset="UTF-8"', 'transfer-encoding: chunked', '',
    `${content.length.toString(16)};a=b`, content, '0', 'X: y', '', ''].join('\r\n');
  const greetings = specification(IN_DEVELOPMENT)['GreetingResponse (body of a successful greeting)'] ?? [];
  assert.deepEqual(await Promise.all(greetings.map((one) => differences(one, sending(reply)))), [[]]);
});

const replyOf = (code: number, content: string) =>
  `HTTP/1.1 ${code} \r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`;

/** A server that sends this, whatever it receives. */
function sending(text: string, end: Talk['end'] = 'closed'): Talker {
  const bytes = Buffer.from(text);
  return async () => ({ ...repliesIn(bytes), bytes, end, error: undefined, sentAt: Date.now() });
}

async function differences(one: Row, talk: Talker): Promise<readonly string[]> {
  const result = await hold(one, talk);
  return result === 'holds' ? [] : result.expected;
}

const TYPES = ['text/plain', 'application/json', 'application/json; charset=utf-8', 'application/problem+json'];

/** The lines of the head that a reply of this service with this status and content must have, in order. */
function headOf({ status, headers: [first], body }: Reply, isLast: boolean): string[] {
  const type = TYPES.map((known) => `Content-Type: ${known}`).find((line) => line === first);
  const ofBody = [`${type}`, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff'];
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...(body !== '' ? ofBody : status === 405 ? ['Allow: GET'] : []),
    `Content-Length: ${Buffer.byteLength(body)}`, 'Date: now', `Connection: ${isLast ? 'close' : 'keep-alive'}`,
  ];
}
