// The contract against the service on bare `node:http`, by the one import that differs.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/certificates.ts';
import { holdAll, rowsFor } from '../support/contract.ts';

const extension = extname(import.meta.url);
const SRC = fileURLToPath(new URL('../../src', import.meta.url));
// What is sent in rows that differ: Node takes what follows the head for another protocol's, or reads on after a last
// request, and refuses what it finds.
const DIFFERING = [/Connection: .*Upgrade: /, /HTTP.1\.0.*Content-Length: 3.*abc/];
const BARE = new URL(`bare${extension}`, import.meta.url).href;

/** Another copy of src/app.ts, without its src/turns. */
async function importBareApp(t: TestContext): Promise<typeof import('../../src/app.ts')> {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  cpSync(SRC, join(folder, 'src'), { recursive: true, filter: (path) => !dirname(path).endsWith('turns') });
  const path = join(folder, 'src', `app${extension}`);
  const code = readFileSync(path, 'utf8');
  writeFileSync(path, code.replace(`./turns/fair-server${extension}`, BARE));
  return import(pathToFileURL(path).href);
}

test('on bare node:http, all rows of the contract hold but a few', async (t) => {
  const { createApp: create } = await importBareApp(t);
  const rows = rowsFor('development');
  const alike = rows.filter(({ says }) => !DIFFERING.some((pattern) => pattern.test(says)));
  assert.equal(rows.length - alike.length, 5);
  await holdAll(t, alike, { create, isDevelopment: true });
});
