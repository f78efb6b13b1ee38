// Starts `npm run contract`: from the sources where node runs TypeScript (22.18 and later), else from the build.
import { existsSync } from 'node:fs';

const build = new URL('../../../dist/test/tools/contract/main.js', import.meta.url);
if (process.features.typescript) {
  await import('./main.ts');
} else if (existsSync(build)) {
  await import(build.href);
} else {
  console.error(`Node ${process.version} does not run TypeScript: build first, with "npm ci && npm run build".`);
  process.exitCode = 2;
}
