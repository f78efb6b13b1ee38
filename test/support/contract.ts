// Holds the service, in the process of a test, to the rows of the contract.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { EXCEPTION_TEXT } from '../tools/contract/api.ts';
import { decisions } from '../tools/contract/decisions.ts';
import { describe, hold, type Row, type Subject } from '../tools/contract/row.ts';
import { talker, type Talk } from '../tools/contract/server.ts';
import { specification } from '../tools/contract/specification.ts';
import { wire } from '../tools/contract/wire.ts';
import { startService, type ServiceOptions } from './service.ts';

const PATIENCE_MS = 900_000; // the machine may be busy

/** All rows, as they are for the service. */
export function rowsFor(environment: Subject['environment']): Row[] {
  const parts = [specification, decisions, wire].map((part) => part({ authority: 'localhost', environment }));
  return parts.flatMap((part) => Object.values(part).flat());
}

/** Starts the service, also as one that fails, and checks that these rows hold. `look` sees all that it sends. */
export async function holdAll(
  t: TestContext, rows: readonly Row[], options: ServiceOptions, look: (row: Row, talk: Talk) => void = () => {},
): Promise<void> {
  const service = await startService(t, options);
  const failing = await startService(t, { ...options, now: () => { throw new Error(EXCEPTION_TEXT); } });
  await Promise.all(rows.map(async (row) => {
    const { port } = row.needs === 'an exception' ? failing : service;
    const talk = talker(() => connect(port, '127.0.0.1'), PATIENCE_MS);
    const result = await hold({ ...row, ends: true }, async (bytes) => {
      const talked = await talk(bytes);
      look(row, talked);
      return talked;
    });
    if (result !== 'holds') assert.fail(`${row.says}\n${describe(result)}`);
  }));
  assert.deepEqual(service.reported, [], 'no request causes an error in the service');
}
