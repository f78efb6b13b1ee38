// Starts `npm run contract`: from the sources where node runs TypeScript (22.18 and later), else from the build.
import { existsSync } from 'node:fs';

const main = new URL(process.features.typescript ? './main.ts' : '../../../dist/test/tools/contract/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  console.error(`Node ${process.version} does not run TypeScript: build first, with "npm ci && npm run build".`);
  process.exitCode = 2;
}
