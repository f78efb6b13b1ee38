// Each row of the contract against the service in this process, over real sockets, with either server. A second service has a clock that
// throws. Of each reply every byte is compared. SERVER=node holds each row, except those that are listed. The command is tested in
// tools/contract/main.test.ts.
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { REFUSALS } from '../src/http/refusals.ts';
import { field, repliesIn, type Reply } from './support/replies.ts';
import { isObject } from './support/schema.ts';
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
  const { port, reported, refusals } = await startService(t, { kind, development, now: Date.now });
  const failing = await startService(t, { kind, development, now: () => { throw new Error(EXCEPTION_TEXT); } });
  const refused: number[] = [];

  await forEach(rows.filter(({ says }) => kind === 'strict' || !NODE_MAY_DIFFER.has(says)), async (row) => {
    const differs = kind === 'node' && NODE_DIFFERS.has(row.says);
    const talk = talkerTo(row.needs === 'an exception' ? failing.port : port, differs ? 500 : 30_000);
    const talks: Talk[] = [];
    const steps = row.steps.map((step) => ({ ...step, closes: true })); // each connection ends
    const result = await hold({ ...row, steps }, async (bytes) => {
      const talked = await talk(bytes, Infinity);
      talks.push(talked);
      return talked;
    });
    if (differs) return assert.notEqual(result, 'holds', row.says);
    holds(row, result);
    for (const { replies, end } of talks) {
      assert.deepEqual(replies, replies.map((reply, i) => exactly(reply, i === replies.length - 1)), row.says);
      assert.ok(end === 'closed' || kind === 'node', row.says);
      refused.push(...replies.filter(({ status, body }) => body === '' && status !== 404 && status !== 405).map(({ status }) => status));
    }
    if (development) holds(row, await hold(row, inOtherForms(talks)));
  });
  assert.deepEqual(reported, [], 'no request of a client causes an error in the service');
  if (kind === 'node') return;
  const statuses = refusals.map((reason) => REFUSALS[reason].status);
  assert.deepEqual(statuses.sort(), refused.sort(), 'exactly the illegal requests are counted as refused');
}

test('each row that is listed for SERVER=node exists, and no expectation accepts a value that is wrong there', () => {
  const all = [...OF_DEVELOPMENT, ...OF_PRODUCTION];
  assert.deepEqual([...NODE_DIFFERS, ...NODE_MAY_DIFFER].filter((says) => !all.some((row) => row.says === says)), []);
  for (const { text, accepts, wrong } of all.flatMap(({ steps }) => steps.flatMap(({ replies }) => replies.flat()))) {
    for (const value of wrong) assert.ok(!accepts(value, Date.now()), `${text}: ${JSON.stringify(value)}`);
  }
});

test('a row differs if a reply is wrong or missing, if more comes, and if the connection stays open', async () => {
  const replyOf = (status: number) => ({ statusLine: '', status, headers: [], body: '' });
  const [first, second, none] = [replyOf(200), replyOf(404), Buffer.alloc(0)];
  const closing = row('', { send: '', replies: [[status(200)], [status(404)]], closes: true });
  const talk = { replies: [first, second], rest: none, bytes: none, end: 'closed', fault: undefined, error: undefined, sentAt: 0 } as const;
  for (const [change, ...expected] of [
    [{}],
    [{ replies: [second, second] }, 'reply 1: status 200'],
    [{ replies: [first] }, 'reply 2: status 404'],
    [{ replies: [first, second, first] }, 'nothing after the last reply'],
    [{ rest: Buffer.from('x') }, 'nothing after the last reply'],
    [{ end: 'late' }, 'the connection is closed'],
  ] as const) {
    const result = await hold(closing, async () => ({ ...talk, ...change }));
    assert.deepEqual(result === 'holds' ? [] : result.expected, expected);
  }
});

test('a traceId that comes again is found, and so is a reply that does not fit the description', async (t) => {
  const { port } = await startService(t, { development: true });
  const talk = talkerTo(port);
  const wrong: Talker = async (bytes) => {
    const { replies, ...talked } = await talk(bytes, Infinity);
    const edited = (body: string) => body.replace(/(?<="traceId":")[^"]*/, '1').replace('"generatedAt":"', '$&at ');
    return { ...talked, replies: replies.map((reply) => ({ ...reply, body: edited(reply.body) })) };
  };
  const results = await Promise.all(OF_DEVELOPMENT.filter(({ misfits }) => misfits !== undefined).map((row) => hold(row, wrong)));
  assert.deepEqual(results.map((result) => (result === 'holds' ? '' : result.expected[0]?.slice(0, 100))), [
    'a traceId that differs on every request, but 10 replies have 1',
    'a reply that fits the description, but a 200 of application/json does not: $.generatedAt: does not f',
  ]);
});

function talkerTo(port: number, patienceMs = 30_000): Talker {
  return talker(() => connect({ port, host: '127.0.0.1' }), patienceMs);
}

function holds({ says }: Row, result: Awaited<ReturnType<typeof hold>>): void {
  if (result !== 'holds') assert.fail(`${says}\n${describeDifference(result)}`);
}

const TYPES = ['text/plain', 'application/json', 'application/json; charset=utf-8', 'application/problem+json'];

/** What a reply of this service with this status and content must be, with its field lines in order. */
function exactly(reply: Reply, isLast: boolean): Reply {
  const { status, body } = reply;
  const type = TYPES.find((known) => known === field(reply, 'Content-Type'));
  const fields = body !== '' ? [`Content-Type: ${type}`, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff']
    : status === 405 ? ['Allow: GET'] : [];
  const headers = [...fields, `Content-Length: ${Buffer.byteLength(body)}`, 'Date: now', `Connection: ${isLast ? 'close' : 'keep-alive'}`];
  return { statusLine: `HTTP/1.1 ${status} ${STATUS_CODES[status]}`, status, headers, body: body.startsWith('{') ? inOrder(body) : body };
}

// JSON with its members in this order, and without white space.
function inOrder(text: string): string {
  const { message, generatedAt, type, title, status, errors, detail, instance, traceId, ...others } = JSON.parse(text);
  return JSON.stringify({ message, generatedAt, type, title, status, errors, detail, instance, traceId, ...others });
}

/** A server that sends these replies, one for each connection, and writes them in another way wherever the contract says nothing. */
function inOtherForms(talks: readonly Talk[]): Talker {
  const queue = talks.values();
  return async () => {
    const talk = queue.next().value ?? assert.fail('one talk for each step');
    const replies = talk.replies.map(inOtherForm).join('');
    return { ...talk, ...repliesIn(Buffer.from(replies), { ended: true }) };
  };
}

function inOtherForm(reply: Reply): string {
  const fields = reply.headers.filter((line) => !line.startsWith('Content-Length:')).reverse()
    .map((line) => line.replace(/^[^:]+: /, (name) => name.toLowerCase().trim()).replace('; charset=utf-8', ';  Charset="UTF-8"'));
  const head = [`HTTP/1.1 ${reply.status}`, 'x-other: field', ...fields];
  if (reply.body === '') return [...head, 'content-LENGTH:\t0', '', ''].join('\r\n');
  const reversed = (_name: string, value: unknown) => (isObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value);
  const content = reply.body.startsWith('{') ? JSON.stringify(JSON.parse(reply.body), reversed, 2) : reply.body;
  return [...head, 'Transfer-Encoding: chunked', '', `${Buffer.byteLength(content).toString(16)};a=b`, content, '0', '', ''].join('\r\n');
}
