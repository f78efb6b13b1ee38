// Tests the rows of a part of the contract against this project's service in this process. The clock of the service
// stands still, and a second service has a clock that throws. Of each reply every byte is compared. Then each row is tested: it must find
// each mistake of its expectations.
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { document } from '../../../src/api/description.ts';
import { field, type Reply } from '../../support/replies.ts';
import { NOW, startService } from '../../support/service.ts';
import { DESCRIBED_PATHS } from './endpoints.ts';
import { isObject, json } from './expectation.ts';
import { hold } from './hold.ts';
import { mistakes } from './mistakes.ts';
import { descriptionMisfits } from './openapi.ts';
import { describeDifference } from './report.ts';
import type { Part, Row, Seen, Subject } from './row.ts';
import { EXCEPTION_TEXT } from './specification.ts';
import { talker, type Talk, type Talker } from './talk.ts';

/** A talker for a service in this process. Its clock stands still, as that of the service does. */
export function talkerTo(port: number): Talker {
  const talk = talker({ connect: () => connect({ port, host: '127.0.0.1' }), now: () => NOW, patienceMs: () => 30_000 });
  return (bytes) => talk(bytes, Infinity);
}

/** Two services, and the talker for a row: the second service is for rows that need an exception. */
export async function startServices(t: TestContext, development: boolean) {
  const service = await startService(t, { development, now: () => NOW });
  const failing = await startService(t, { development, now: () => { throw new Error(EXCEPTION_TEXT); } });
  const talks = [talkerTo(service.port), talkerTo(failing.port)] as const;
  return { service, talkFor: ({ needs }: Row) => (needs === 'an exception' ? talks[1] : talks[0]) };
}

/** Tests each row of a part, in Development or Production, as a subtest of `t`. */
export async function walkInProcess(t: TestContext, part: (subject: Subject) => Part, environment: 'development' | 'production'): Promise<void> {
  const { service: { reported, refusals }, talkFor } = await startServices(t, environment === 'development');
  const seen: Seen[] = [];

  async function test(row: Row): Promise<void> {
    const talk = talkFor(row);
    const refused = refusals.length;
    const talks: Talk[] = [];
    const steps = row.steps.map(({ given: _, ...step }) => ({ ...step, closes: true })); // each status is right, and each connection ends
    const result = await hold({ ...row, steps }, async (bytes, enough) => {
      const talked = await talk(bytes, enough);
      assert.equal(talked.end, 'closed');
      assert.equal(withoutDates(talked.bytes), talked.replies.map((reply, i) => exactly(reply, i === talked.replies.length - 1)).join(''));
      talks.push(talked);
      return talked;
    }, seen);
    if (result !== 'holds') assert.fail(result === 'not checked' ? result : describeDifference(result));
    assert.deepEqual(reported, [], 'no request of a client causes an error in the service');
    const empty = talks.flatMap(({ replies }) => replies).filter(({ status, body }) => body === '' && ![404, 405].includes(status));
    if (row.needs !== 'an exception') assert.deepEqual(refusals.slice(refused), empty.map(({ status }) => status), 'exactly the illegal requests are counted as refused');
    let tried = 0;
    for (const [wrong, text] of wrongTalks(row, talks)) {
      tried += 1;
      const rest = [...wrong];
      const found = await hold(row, async () => rest.shift() ?? assert.fail('one talk for each step'), [...seen]);
      assert.ok(typeof found === 'object' && found.expected.includes(text), `does not find a mistake: ${text}`);
    }
    assert.ok(tried > 0 || mistakes.some(([, , rows]) => rows.includes(row.says)), 'finds no mistake');
  }

  for (const { heading, rows } of part({ authority: 'localhost', isSecure: false, environment }).sections) {
    await t.test(heading, async (section) => {
      for (const row of rows) await section.test(row.says, () => test(row));
    });
  }

  // Other servers may leave something out of their description. This one may not.
  for (const path of environment === 'development' && seen.length > 0 ? DESCRIBED_PATHS : []) {
    await t.test(`each reply to GET ${path} is described, with each of its members`, () => {
      assert.deepEqual(descriptionMisfits(document, path, seen, true), []);
    });
  }
}

/** Each way in which the talks of a row can be wrong, with the words in which the row must say so. */
function* wrongTalks({ steps }: Row, talks: readonly Talk[]): Generator<readonly [talks: readonly Talk[], text: string]> {
  for (const [i, { replies, given, closes }] of steps.entries()) {
    const talk = talks[i] ?? assert.fail('one talk for each step');
    const [first] = talk.replies;
    for (const [j, expectations] of replies.entries()) {
      const reply = talk.replies[j] ?? assert.fail('a reply for each entry');
      const which = replies.length > 1 ? `reply ${j + 1}: ` : '';
      for (const { text, mistakes: edits } of expectations) {
        for (const edit of edits) yield [talks.with(i, { ...talk, replies: talk.replies.with(j, edit(reply)) }), which + text];
      }
      if (given === undefined && j === replies.length - 1) yield [talks.with(i, { ...talk, replies: talk.replies.slice(0, -1) }), `${which}${expectations.map(({ text }) => text).join(', ')}`];
    }
    if (closes !== true || first === undefined) continue;
    yield [talks.with(i, { ...talk, end: 'silent' }), 'the connection is closed'];
    yield [talks.with(i, { ...talk, replies: [...talk.replies, first] }), 'nothing after the last reply'];
    yield [talks.with(i, { ...talk, rest: talk.bytes }), 'nothing after the last reply'];
  }
}

const withoutDates = (bytes: Buffer) => bytes.toString('utf8').replace(/^Date: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT(?=\r$)/gm, 'Date: now');

const TYPES = ['text/plain', 'application/json', 'application/json; charset=utf-8', 'application/problem+json'];

/** All bytes of a reply of this service with this status and content, with `now` as the date. */
function exactly(reply: Reply, isLast: boolean): string {
  const { status, body } = reply;
  const type = TYPES.find((known) => known === field(reply, 'content-type'));
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const fields = body === '' ? [...(status === 405 ? ['Allow: GET'] : []), length]
    : [`Content-Type: ${type}`, length, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff'];
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, 'Date: now', `Connection: ${isLast ? 'close' : 'keep-alive'}`, '', exactJson(json(reply)) ?? body].join('\r\n');
}

// In this order, and without white space.
function exactJson(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { message, type, title, status, errors, detail, instance, traceId, ...others } = value;
  if (message !== undefined) return JSON.stringify({ message, generatedAt: new Date(NOW).toISOString().replace('Z', '+00:00') });
  return JSON.stringify({ type, title, status, errors, detail, instance, traceId, ...others });
}
