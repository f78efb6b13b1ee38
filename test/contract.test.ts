// Each row of the contract against the service in this process, over real sockets: every byte of the replies is compared, and each row
// finds mistakes. More mistakes are in tools/contract/mistakes.test.ts, and the command is in main.test.ts there.
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
