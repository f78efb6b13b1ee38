// The contract against the service on bare `node:http`, by the one import that differs.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/certificates.ts';
import { appOptions, keepReports } from '../support/service.ts';
import { listenOnPort } from '../support/sockets.ts';
import { EXCEPTION_TEXT } from '../tools/contract/api.ts';
import { decisions } from '../tools/contract/decisions.ts';
import { describe, hold } from '../tools/contract/row.ts';
import { mapAll, talker } from '../tools/contract/server.ts';
import { specification } from '../tools/contract/specification.ts';
import { wire } from '../tools/contract/wire.ts';

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
  const { createApp } = await importBareApp(t);
  for (const environment of ['development', 'production'] as const) {
    const start = async (now: () => number) => {
      const { reports } = keepReports();
      const app = createApp({ ...appOptions(), reports, isDevelopment: environment === 'development', now });
      t.after(() => app.closeAll());
      const { httpServer } = app.createPlainServer();
      return listenOnPort(Object.assign(httpServer, { headersTimeout: 0, requestTimeout: 0 }));
    };
    const ports = [await start(Date.now), await start(() => { throw new Error(EXCEPTION_TEXT); })];
    const parts = [specification, decisions, wire].map((part) => part({ authority: 'localhost', environment }));
    const rows = parts.flatMap((part) => Object.values(part).flat());
    const alike = rows.filter(({ says }) => !DIFFERING.some((pattern) => pattern.test(says)));
    assert.equal(rows.length - alike.length, 5);
    await mapAll(alike, async (row) => {
      const port = ports[row.needs === 'an exception' ? 1 : 0] ?? assert.fail();
      const result = await hold(row, talker(() => connect(port, '127.0.0.1'), 900_000));
      if (result !== 'holds') assert.fail(`${row.says}\n${describe(result)}`);
    });
  }
});
