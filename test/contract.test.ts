// Each row of the contract against the service in this process, over real sockets: every byte of the replies is compared. That the
// rows find mistakes, and that the command works, is in tools/contract/main.test.ts.
import { test } from 'node:test';
import { decisions } from './tools/contract/decisions.ts';
import { walkInProcess } from './tools/contract/in-process.ts';
import { specification } from './tools/contract/specification.ts';
import { wire } from './tools/contract/wire.ts';

for (const environment of ['production', 'development'] as const) {
  test(`the specification, in ${environment}`, (t) => walkInProcess(t, specification, environment));
  test(`the decisions, in ${environment}`, (t) => walkInProcess(t, decisions, environment));
}

test('the wire', (t) => walkInProcess(t, wire, 'production'));
