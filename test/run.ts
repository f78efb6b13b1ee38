// Runs all tests: with coverage, as `npm test`, or, with `--no-coverage`, without, as `.ci/run`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 1_800_000; // of the run, and of each test: on a busy machine, one may take long

const { dirname: here, filename } = import.meta;
const extension = extname(filename); // .js when compiled
const testsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(`.test${extension}`))
  .map((name) => join(folder, name));
const files = [join(here, `in-one-process${extension}`), ...testsIn(here), ...testsIn(join(here, 'example'))];
const node = ['--test', '--test-reporter=spec', `--test-timeout=${LIMIT_MS}`, '--test-concurrency=4', ...files];
const c8 = [fileURLToPath(import.meta.resolve('c8/bin/c8.js'))];
if (process.platform !== 'linux') c8.push('--check-coverage=false'); // elsewhere, some tests are skipped
const args = process.argv.includes('--no-coverage') ? node : [...c8, process.execPath, ...node];
const child = spawn(process.execPath, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');
process.exitCode = code ?? 1;
