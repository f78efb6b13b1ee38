// Installs the package into an empty folder, as a user does, but without a network, and serves a request from there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support/certificates.ts';
import { ROOT } from './support/process.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const SKIP = process.platform === 'win32' ? 'npm is no program on Windows'
  : !existsSync(join(ROOT, 'dist/types')) && 'npm run build comes first';

const IMPORT = "import { createFairServer } from 'greeting-service/turns';";
const REQUIRE = "const { createFairServer } = require('greeting-service/turns');";
const OPTIONS = "import type { FairOptions } from 'greeting-service/turns';\nconst options: FairOptions =";
const WRONG = `
// @ts-expect-error: it is not taken
createFairServer({ noDelay: false });
// @ts-expect-error: it is not taken
createFairServer({ highWaterMark: 1 });
// @ts-expect-error: no arguments of listen
createFairServer().listen('8080', {}, []);`;
const program = (lines: string, options = 'const options =') => `${lines}
${options} { maxConnections: 10 };
const server = createFairServer(options, ({ url }, response) => { response.end(url); }).listen(0, '127.0.0.1', ask);
async function ask() {
  const address = server.address();
  const reply = await fetch(\`http://127.0.0.1:\${address instanceof Object ? address.port : 0}/hello\`);
  console.log(await reply.text());
  server.close();
}`;

test('the package is installed, and serves from ES modules, `require` and TypeScript', { skip: SKIP }, (t) => {
  const folder = temporaryFolder(t);
  const user = join(folder, 'user');
  mkdirSync(user);
  const env = { PATH: process.env['PATH'], HOME: folder }; // npm reads no other settings
  const run = (cwd: string, command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8' });
  const runNode = (...args: readonly string[]) => run(user, process.execPath, ...args);
  const npm = (cwd: string, ...args: readonly string[]) =>
    run(cwd, 'npm', ...args, '--offline', '--ignore-scripts', '--silent');

  const tarball = npm(ROOT, 'pack', '--pack-destination', folder).trim();
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }');
  npm(user, 'install', join(folder, tarball));
  assert.deepEqual(run(user, 'find', 'node_modules', '-name', 'start*'), '', 'the service is not in it');

  for (const [file, text] of [
    ['esm.js', program(IMPORT)], ['common.cjs', program(REQUIRE)],
    ['typed.ts', program(IMPORT, OPTIONS)], ['typed.cts', program(IMPORT, OPTIONS)], ['wrong.ts', IMPORT + WRONG],
  ] as const) writeFileSync(join(user, file), text);
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  const settings = ['--strict', '--target', 'es2023', '--lib', 'es2023', ...types];
  runNode(TSC, ...settings, '--module', 'nodenext', '--outDir', 'nodenext', 'typed.ts', 'typed.cts', 'wrong.ts');
  runNode(TSC, ...settings, '--module', 'esnext', '--moduleResolution', 'bundler', '--outDir', 'bundler', 'typed.ts');
  for (const file of ['esm.js', 'common.cjs', 'nodenext/typed.js', 'nodenext/typed.cjs', 'bundler/typed.js']) {
    assert.equal(runNode(file), '/hello\n', file);
  }
});
