// Starts `npm run contract` in a process of its own, with the options of node's test runner: from the sources where node runs TypeScript
// (22.18 and later), else from the build.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL(process.features.typescript ? './main.ts' : '../../../dist/test/tools/contract/main.js', import.meta.url));
if (existsSync(main)) {
  const args = process.argv.slice(2);
  const [runner, own] = [true, false].map((isRunner) => args.filter((arg) => arg.startsWith('--test-') === isRunner));
  if (!runner.some((arg) => arg.startsWith('--test-reporter='))) runner.unshift('--test-reporter=spec');
  process.exitCode = spawnSync(process.execPath, [...runner, main, ...own], { stdio: 'inherit' }).status ?? 1;
} else {
  console.error(`Node ${process.version} does not run TypeScript: build first, with "npm ci && npm run build".`);
  process.exitCode = 2;
}
