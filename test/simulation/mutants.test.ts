// The simulation finds each of the mutants, within the sequences of simulation.test.ts.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/certificates.ts';
import { defaultSequences } from './default-sequences.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { run } from './run.ts';
import type { CreateApp } from './service.ts';

const EXTENSION = import.meta.url.slice(-3); // .ts, or .js when it has been compiled

/** Loads a copy of the service with a fault. */
async function load(t: TestContext, { file, text, replacement }: Mutant): Promise<CreateApp> {
  const folder = temporaryFolder(t);
  cpSync(fileURLToPath(new URL('../../src', import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const path = join(folder, 'server', file + EXTENSION);
  const before = readFileSync(path, 'utf8');
  assert.ok(before.includes(text), `${file} does not have the text ${text}: change the table of mutants`);
  writeFileSync(path, before.replaceAll(text, replacement));
  const { createApp }: { readonly createApp: CreateApp } = await import(pathToFileURL(join(folder, `app${EXTENSION}`)).href);
  return createApp;
}

for (const mutant of MUTANTS) {
  test(`found: ${mutant.name}`, async (t) => {
    const { failure, count } = await run(await load(t, mutant), defaultSequences());
    assert.notEqual(failure, undefined, `${count} sequences did not find it`);
    t.diagnostic(`${failure?.fault.invariant}, in sequence ${count}`);
  });
}
