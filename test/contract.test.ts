// Each row of the contract against the service, with the order and spelling of all fields; that rows can fail.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { STATUS_CODES } from 'node:http';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { holdAll, rowsFor } from './support/contract.ts';
import { repliesIn, type Reply } from './support/replies.ts';
import { startService } from './support/service.ts';
import { run } from './tools/contract/main.ts';
import { hold, unmet, type Row } from './tools/contract/row.ts';
import type { Talk, Talker } from './tools/contract/server.ts';

const start = promisify(execFile)(process.execPath, ['test/tools/contract/start.js']).catch((failure) => failure);

suite('every row holds', { concurrency: true }, () => {
  for (const environment of ['development', 'production'] as const) {
    test(`in ${environment}, and every head is as it always is`, async (t) => {
      const isDevelopment = environment === 'development';
      await holdAll(t, rowsFor(environment), { isDevelopment }, (row, { replies, end }) => {
        for (const reply of replies) {
          const expected = headOf(reply, reply === replies.at(-1), row);
          assert.deepEqual([reply.statusLine, ...reply.headers], expected, row.says);
        }
        assert.equal(end, 'closed', `${row.says}: not reset`);
      });
    });
  }
});

const TYPE = /^Content-Type: (?:text\/plain|application\/json(?:; charset=utf-8)?|application\/problem\+json)$/;
const NEEDED = new Map([[401, /^WWW-Authenticate: /], [405, /^Allow: [A-Z]+(?:, [A-Z]+)*$/]]); // RFC 9110 15.5
const NAMED = ['Location', 'Accept']; // by a row whose reply has it

// The head that a reply of this service must have. Close is said by it or by Node.
function headOf({ status, headers, body }: Reply, isLast: boolean, { steps }: Row) {
  const type = headers.find((line) => TYPE.test(line));
  const always = ['Cache-Control: no-store'];
  const start = body === '' ? always : [type, ...always, 'X-Content-Type-Options: nosniff'];
  const needed = NEEDED.has(status) ? [headers.find((line) => NEEDED.get(status)?.test(line))] : [];
  const isNamed = (name: string) => steps.some(({ replies }) => replies.some(({ fields = {} }) => name in fields));
  const named = NAMED.filter(isNamed).flatMap((name) => headers.filter((line) => line.startsWith(`${name}: `)));
  const date = 'Date: now';
  const closed = headers.at(-1) === date ? ['Connection: close', date] : [date, 'Connection: close'];
  const end = isLast ? closed : [date, 'Connection: keep-alive', 'Keep-Alive: timeout=75'];
  const length = [204, 304].includes(status) ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...start, ...needed, ...named, ...length, ...end];
}

const replyOf = (code: number, content: string) =>
  `HTTP/1.1 ${code}\r\nX: A\r\ncontent-TYPE:application/JSON\r\nContent-Length: ${content.length}\r\n\r\n${content}`;

async function differences(row: Row, sent: string, end: Talk['end'] = 'closed'): Promise<readonly string[]> {
  const bytes = Buffer.from(sent);
  const talk: Talker = async () => ({ ...repliesIn(bytes), bytes, end, error: undefined });
  const result = await hold(row, talk);
  return result === 'holds' ? [] : result.expected;
}

test('a row differs if anything that it names does', async () => {
  const both = { says: '', steps: [{ send: '', replies: [{ status: 200 }, { status: 404, body: '' }] }], ends: true };
  const [ok, none] = [replyOf(200, 'a'), replyOf(404, '')];
  for (const [end, sent, ...expected] of [
    ['closed', ok + none], ['closed', none + none, 'status 200'], ['closed', ok, 'status 404', '2 whole replies'],
    ['closed', ok + replyOf(404, 'a'), 'no body'], ['closed', ok + none + ok, 'nothing after the last reply'],
    ['reset', `${ok}${none}x`, 'nothing after the last reply'], ['late', ok + none, 'the connection is closed'],
  ] as const) assert.deepEqual(await differences(both, sent, end), expected);
  const answered = rowsFor('development').filter(({ steps }) => steps.every(({ replies }) => replies.length > 0));
  for (const row of answered) assert.notDeepEqual(await differences(row, ''), [], row.says);
  const [reply = assert.fail()] = repliesIn(Buffer.from(replyOf(400, '{ "a": {"b" : "1\\u0021"} }'))).replies;
  const right = { type: 'application/json', fields: { x: 'A', Y: undefined }, json: { 'a.b': '1!', c: undefined } };
  assert.deepEqual(unmet(right, reply), []);
  const wrong = { type: 'text/plain', fields: { Y: 'c' }, members: ['b'], json: { 'a.b': /2/, a: () => false } };
  assert.deepEqual(unmet(wrong, reply), ['Content-Type: text/plain', 'the members b', 'Y: c', 'a.b: /2/', 'a: a']);
});

test('npm run contract exits with 0, 1 or 2', async (t) => {
  const { port } = await startService(t, { isDevelopment: true });
  const url = `http://127.0.0.1:${port}`;
  for (const [args, code, pattern] of [
    [[url], 0, / 0 differ, /], [['unix:/no'], 2, /\(ENOENT\)/], [[url, url], 2, /^One URL .*\n\nUsage: /],
    [[url, '--production'], 1, /✖ .*v1.json\n  sent\n[^]*\n  expected\n    status 404\n/],
  ] as const) {
    const printed: string[] = [];
    const print = (line: string) => void printed.push(line);
    assert.equal(await run(args, { report: print, summary: print }), code, `${args}\n${printed}`);
    assert.match(printed.join('\n'), pattern);
  }
  assert.equal((await start).code, 2);
});
