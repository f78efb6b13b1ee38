// Starts `npm run contract` without a build: where Node does not run TypeScript (before 22.18), the sources are
// compiled into a folder that is removed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

async function compiled() {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'contract-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const options = '--ignoreConfig --rewriteRelativeImportExtensions --module nodenext --target es2023 --noCheck';
  const files = ['--rootDir', '.', '--outDir', folder, 'test/tools/contract/main.ts'];
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options.split(' '), ...files], { cwd });
  return import(pathToFileURL(join(folder, 'test/tools/contract/main.js')).href);
}

const { run } = await (process.features.typescript ? import('./main.ts') : compiled());
process.exitCode = await run(process.argv.slice(2), { report: console.log, summary: console.error });
