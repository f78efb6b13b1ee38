// Runs the tests of the folders that mirror `src` in this process: to start one for each file would take longer.
import { existsSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';

for (const path of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
  const [, folder] = /^(\w+)\/[^/]+\.test\.[jt]s$/.exec(path.replaceAll(sep, '/')) ?? [];
  if (folder !== undefined && existsSync(new URL(`../src/${folder}`, import.meta.url))) await import(`./${path}`);
}
