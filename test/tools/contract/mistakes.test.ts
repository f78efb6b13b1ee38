// Holds that the mistakes in mistakes.ts are found by the rows that are there because of them, and that a server that differs only where it
// may is right. That each row finds mistakes in replies is in contract.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisions } from './decisions.ts';
import { hold } from './hold.ts';
import { startServices } from './in-process.ts';
import { different, mistakes, wrongly } from './mistakes.ts';
import { describeDifference } from './report.ts';
import type { Part, Row, Seen, Subject } from './row.ts';
import { specification } from './specification.ts';
import type { Talker } from './talk.ts';
import { wire } from './wire.ts';

const ENVIRONMENTS = ['production', 'development'] as const;

const rowsOf = (parts: readonly ((subject: Subject) => Part)[], environment: typeof ENVIRONMENTS[number]): readonly Row[] =>
  parts.flatMap((part) => part({ authority: 'localhost', isSecure: false, environment }).sections).flatMap(({ rows }) => rows);

for (const environment of ENVIRONMENTS) {
  test(`no row of the specification and the decisions fails for a server that differs only where it may, in ${environment}`, async (t) => {
    const { talkFor } = await startServices(t, environment === 'development');
    const seen: Seen[] = [];
    for (const row of rowsOf([specification, decisions], environment)) {
      const result = await hold(row, wrongly(talkFor(row), different), seen);
      assert.ok(result === 'holds', `${row.says}\n${typeof result === 'string' ? result : describeDifference(result)}`);
    }
  });
}

test('each mistake in reading requests, and in the description, is found by the rows that are there because of it', async (t) => {
  const services = { production: await startServices(t, false), development: await startServices(t, true) };
  const all = ENVIRONMENTS.flatMap((environment) => rowsOf([specification, decisions, wire], environment).map((row) => ({ row, talk: services[environment].talkFor(row) })));
  for (const [mistake, wrong, names] of mistakes) {
    for (const says of names) {
      const { row, talk } = all.find((one) => one.row.says === says) ?? assert.fail(`There is no row "${says}"`);
      assert.equal(typeof await hold(row, wrongly(talk, wrong), await greetingSeen(talk)), 'object', `"${mistake}" is not found by "${says}"`);
    }
  }
});

// For a row that reviews the whole run.
async function greetingSeen(talk: Talker): Promise<Seen[]> {
  const send = 'GET /api/greetings HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const { replies } = await talk(send, 1);
  return replies.map((reply) => ({ send, reply }));
}
