// Walks a part of the contract with this project's own service in this process: its clock is held still, another
// one beside it throws, and every byte is compared.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { startService } from '../support/service.ts';
import { STILL_CLOCK } from './exact.ts';
import { hold } from './hold.ts';
import { describeDifference } from './report.ts';
import type { Part, Row, Seen, Subject } from './row.ts';
import { EXCEPTION_TEXT } from './specification.ts';
import { talker } from './talk.ts';

/** Tests each row of a part, in Development or not, as a test of its own within `t`. */
export async function walkInProcess(t: TestContext, part: (subject: Subject) => Part, environment: 'development' | 'production'): Promise<void> {
  const development = environment === 'development';
  const service = await startService(t, { development, now: () => STILL_CLOCK });
  const failing = await startService(t, { development, now: () => { throw new Error(EXCEPTION_TEXT); } });
  const seen: Seen[] = [];

  async function test(row: Row): Promise<void> {
    const { port, reported, refusals } = row.needs === 'an exception' ? failing : service;
    const before = { seen: seen.length, refusals: refusals.length };
    const verdict = await hold(row, {
      talk: talker({ connect: () => connect({ port, host: '127.0.0.1' }), now: () => STILL_CLOCK, patienceMs: () => 30_000 }), exact: true, seen,
    });
    if (verdict !== 'holds') assert.fail(verdict === 'not checked' ? verdict : describeDifference(verdict));
    if (row.needs !== 'an exception') assert.deepEqual(reported, [], 'a client is no error of ours');
    const refused = seen.slice(before.seen).map(({ reply }) => reply).filter(({ status, body }) => body === '' && REFUSALS.includes(status));
    assert.deepEqual(refusals.slice(before.refusals), refused.map(({ status }) => status), 'what is illegal is counted, and nothing else');
  }

  for (const { heading, rows } of part({ authority: 'localhost', environment }).sections) {
    await t.test(heading, async (section) => {
      for (const row of rows) await section.test(row.says, () => test(row));
    });
  }
}

const REFUSALS = [400, 413, 417, 421, 431, 505];
