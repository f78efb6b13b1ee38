// Each row of the contract against the service in this process, over real sockets, with the order and spelling of all
// fields; that rows can fail; and the command.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { repliesIn, type Reply } from './support/replies.ts';
import { startService } from './support/service.ts';
import { EXCEPTION_TEXT } from './tools/contract/api.ts';
import { decisions } from './tools/contract/decisions.ts';
import { run } from './tools/contract/main.ts';
import { describe, hold, unmet, type Row } from './tools/contract/row.ts';
import { mapAll, talker, type Talk, type Talker } from './tools/contract/server.ts';
import { specification } from './tools/contract/specification.ts';
import { wire } from './tools/contract/wire.ts';

const PATIENCE_MS = 900_000; // the machine may be busy

// It runs beside the tests below.
const start = promisify(execFile)(process.execPath, ['test/tools/contract/start.js']).catch((failure) => failure);

function rowsFor(environment: 'development' | 'production'): Row[] {
  const parts = [specification, decisions, wire].map((part) => part({ authority: 'localhost', environment }));
  return parts.flatMap((part) => Object.values(part).flat());
}

suite('every row holds', { concurrency: true }, () => {
  for (const environment of ['development', 'production'] as const) {
    test(`in ${environment}, and every head is as it always is`, async (t) => {
      const isDevelopment = environment === 'development';
      const service = await startService(t, { isDevelopment });
      const failing = await startService(t, { isDevelopment, now: () => { throw new Error(EXCEPTION_TEXT); } });
      await mapAll(rowsFor(environment), async (row) => {
        const { port } = row.needs === 'an exception' ? failing : service;
        const talk = talker(() => connect(port, '127.0.0.1'), PATIENCE_MS);
        const result = await hold({ ...row, ends: true }, async (bytes) => {
          const talked = await talk(bytes);
          for (const reply of talked.replies) {
            const expected = headOf(reply, reply === talked.replies.at(-1));
            assert.deepEqual([reply.statusLine, ...reply.headers], expected, row.says);
          }
          assert.equal(talked.end, 'closed', `${row.says}: not reset`);
          return talked;
        });
        if (result !== 'holds') assert.fail(`${row.says}\n${describe(result)}`);
      });
      assert.deepEqual(service.reported, [], 'no request causes an error in the service');
    });
  }
});

const TYPE = /^Content-Type: (?:text\/plain|application\/json(?:; charset=utf-8)?|application\/problem\+json)$/;

// The head that a reply of this service must have. Close is said by it or by Node.
function headOf({ status, headers, body }: Reply, isLast: boolean) {
  const type = headers.find((line) => TYPE.test(line));
  const withBody = [type, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff'];
  const allow = headers.find((line) => /^Allow: [A-Z]+(?:, [A-Z]+)*$/.test(line));
  const empty = status === 405 ? ['Cache-Control: no-store', allow] : ['Cache-Control: no-store'];
  const date = 'Date: now';
  const closed = headers.at(-1) === date ? ['Connection: close', date] : [date, 'Connection: close'];
  const end = isLast ? closed : [date, 'Connection: keep-alive', 'Keep-Alive: timeout=75'];
  const length = [204, 304].includes(status) ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...(body === '' ? empty : withBody), ...length, ...end];
}

const replyOf = (code: number, content: string) =>
  `HTTP/1.1 ${code}\r\nX: A\r\ncontent-TYPE:application/JSON\r\nContent-Length: ${content.length}\r\n\r\n${content}`;

/** How a server differs from a row if it sends this, whatever it receives. */
async function differences(row: Row, sent: string, end: Talk['end'] = 'closed'): Promise<readonly string[]> {
  const bytes = Buffer.from(sent);
  const talk: Talker = async () => ({ ...repliesIn(bytes), bytes, end, error: undefined, sentAt: 0 });
  const result = await hold(row, talk);
  return result === 'holds' ? [] : result.expected;
}

test('a row differs if replies are wrong, missing or too many, or the connection stays open', async () => {
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
  assert.deepEqual(unmet(right, reply, 0), []);
  const wrong = { type: 'text/plain', fields: { Y: 'c' }, json: { 'a.b': /2/, a: 1 }, also: { it: () => false } };
  assert.deepEqual(unmet(wrong, reply, 0), ['Content-Type: text/plain', 'Y: c', 'a.b: /2/', 'a: 1', 'it']);
});

test('npm run contract exits with 0, 1 or 2, and needs no build', async (t) => {
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
