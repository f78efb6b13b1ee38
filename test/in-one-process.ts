// Runs the tests of the folders that mirror `src` in this process: starting one for each file, as Node does, takes longer than most files
// take to run. Those that the script `test` in package.json names have processes of their own.
import { readdirSync, readFileSync } from 'node:fs';

const { scripts }: { readonly scripts: { readonly test: string } } =
  JSON.parse(readFileSync(new URL(import.meta.resolve('#package')), 'utf8'));
const folders = readdirSync(new URL('../src', import.meta.url), { withFileTypes: true }).filter((entry) => entry.isDirectory());

for (const { name: folder } of folders) {
  for (const file of readdirSync(new URL(folder, import.meta.url))) {
    const [name] = /^.*\.test(?=\.[jt]s$)/.exec(file) ?? [];
    if (name !== undefined && !scripts.test.includes(`/${folder}/${name}.`)) await import(`./${folder}/${file}`);
  }
}
