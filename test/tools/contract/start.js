// Starts `npm run contract`: the sources or, where Node does not run TypeScript (before 22.18), what has been built.
const main = process.features.typescript ? './main.ts' : '../../../dist/test/tools/contract/main.js';
const { run } = await import(main);
process.exitCode = await run(process.argv.slice(2), { report: console.log, summary: console.error });
