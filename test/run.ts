// What `npm test` runs when it has built: a shell of Windows does not put files in the place of a pattern.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';

const extension = extname(import.meta.filename); // .js when compiled
const testsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(`.test${extension}`))
  .map((name) => join(folder, name));
const { dirname: here } = import.meta;
const files = [join(here, `in-one-process${extension}`), ...testsIn(here), ...testsIn(join(here, 'example'))];
const options = ['--test', '--test-reporter=spec', '--test-timeout=120000', '--test-concurrency=4'];
process.exitCode = spawnSync(process.execPath, [...options, ...files], { stdio: 'inherit' }).status ?? 1;
