// Runs the tests of the folders that mirror `src` in this process: starting one for each file, as Node does, takes
// longer than most files take to run.
import { readdirSync } from 'node:fs';

const folders = readdirSync(new URL('../src', import.meta.url), { withFileTypes: true });

for (const { name: folder } of folders.filter((entry) => entry.isDirectory())) {
  for (const file of readdirSync(new URL(folder, import.meta.url))) {
    if (/\.test\.[jt]s$/.test(file)) await import(`./${folder}/${file}`);
  }
}
