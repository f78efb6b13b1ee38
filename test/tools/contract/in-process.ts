// Tests the rows of a part of the contract against this project's service in this process. The clock of the service
// stands still, a second service has a clock that throws, and every byte of the replies is compared.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { document } from '../../../src/api/description.ts';
import { startService } from '../../support/service.ts';
import { DESCRIBED_PATHS } from './endpoints.ts';
import { STILL_CLOCK } from './exact.ts';
import { hold } from './hold.ts';
import { descriptionMisfits } from './openapi.ts';
import { describeDifference } from './report.ts';
import type { Part, Row, Seen, Subject } from './row.ts';
import { EXCEPTION_TEXT } from './specification.ts';
import { talker } from './talk.ts';

/** Tests each row of a part, in Development or Production, as a subtest of `t`. */
export async function walkInProcess(t: TestContext, part: (subject: Subject) => Part, environment: 'development' | 'production'): Promise<void> {
  const development = environment === 'development';
  const service = await startService(t, { development, now: () => STILL_CLOCK });
  const failing = await startService(t, { development, now: () => { throw new Error(EXCEPTION_TEXT); } });
  const seen: Seen[] = [];

  async function test(row: Row): Promise<void> {
    const { port, reported, refusals } = row.needs === 'an exception' ? failing : service;
    const before = { seen: seen.length, refusals: refusals.length };
    const rowResult = await hold(row, {
      talk: talker({ connect: () => connect({ port, host: '127.0.0.1' }), now: () => STILL_CLOCK, patienceMs: () => 30_000 }), exact: true, seen,
    });
    if (rowResult !== 'holds') assert.fail(rowResult === 'not checked' ? rowResult : describeDifference(rowResult));
    if (row.needs !== 'an exception') assert.deepEqual(reported, [], 'no request of a client causes an error in the service');
    const refused = seen.slice(before.seen).map(({ reply }) => reply).filter(({ status, body }) => body === '' && REFUSALS.includes(status));
    assert.deepEqual(refusals.slice(before.refusals), refused.map(({ status }) => status), 'exactly the illegal requests are counted as refused');
  }

  for (const { heading, rows } of part({ authority: 'localhost', isSecure: false, environment }).sections) {
    await t.test(heading, async (section) => {
      for (const row of rows) await section.test(row.says, () => test(row));
    });
  }

  // Other servers may leave something out of their description. This one may not.
  for (const path of development ? DESCRIBED_PATHS : []) {
    await t.test(`each reply to GET ${path} is described, with each of its members`, () => {
      assert.deepEqual(descriptionMisfits(document, path, seen, true), []);
    });
  }
}

const REFUSALS = [400, 413, 414, 417, 421, 431, 501, 505];
