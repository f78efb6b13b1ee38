// What `npm test` runs when it has built: a shell of Windows does not put files in the place of a pattern.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { dirname: here, filename } = import.meta;
const extension = extname(filename); // .js when compiled
const testsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(`.test${extension}`))
  .map((name) => join(folder, name));
const files = [join(here, `in-one-process${extension}`), ...testsIn(here), ...testsIn(join(here, 'example'))];
const c8 = [fileURLToPath(import.meta.resolve('c8/bin/c8.js'))];
if (process.platform !== 'linux') c8.push('--check-coverage=false'); // elsewhere, some tests are skipped
const node = [process.execPath, '--test', '--test-reporter=spec', '--test-timeout=120000', '--test-concurrency=4'];
process.exitCode = spawnSync(process.execPath, [...c8, ...node, ...files], { stdio: 'inherit' }).status ?? 1;
