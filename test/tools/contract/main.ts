// `npm run contract -- URL`: checks the server at a URL against the contract, and prints the result.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readOptions, USAGE, type Options } from './options.ts';
import { TITLES } from './row.ts';
import type { Summary, Task } from './run-rows.ts';
import { lookAt, targetAt } from './target.ts';

const NOTHING_CHECKED = 2;

async function check(options: Options | string): Promise<number> {
  if (typeof options === 'string') return giveUp(`${options}\n\n${USAGE}`);
  const target = targetAt(options.url, options.insecure);
  if (typeof target === 'string') return giveUp(target);
  const look = await lookAt(target);
  if (typeof look === 'string') return giveUp(look);
  const { url, insecure, enforced, runnerFlags } = options;
  const environment = options.environment ?? (look.described ? 'development' : null);
  return run({ ...look, url, insecure, enforced, environment }, runnerFlags);
}

function giveUp(sentence: string): number {
  console.error(sentence);
  return NOTHING_CHECKED;
}

/** Runs the rows with node's test runner and returns its exit code. */
function run(task: Task, runnerFlags: readonly string[]): Promise<number> {
  const reporter = runnerFlags.some((flag) => flag.startsWith('--test-reporter=')) ? [] : ['--test-reporter=spec'];
  const rows = fileURLToPath(import.meta.url).replace(/main(\.[jt]s)$/, 'run-rows$1');
  const child = spawn(process.execPath, [...reporter, ...runnerFlags, rows, JSON.stringify(task)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let summaries: readonly Summary[] = [];
  child.on('message', (message: Summary[]) => {
    summaries = message;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      // The counts go to stderr, so that stdout has only the output of the reporter.
      if (summaries.length > 0) console.error(summarize(summaries, task));
      resolve(code ?? 1);
    });
  });
}

function summarize(summaries: readonly Summary[], { url, enforced }: Task): string {
  const cells = ['hold', 'differ', 'not checked'];
  const width = Math.max(19, url.length + 1);
  const line = (title: string, values: readonly (string | number)[]) => `${title.padEnd(width)}${values.map((value, i) => String(value).padStart((cells[i]?.length ?? 0) + 3)).join('')}`;
  return [
    '',
    line(`${url}:`, cells),
    ...summaries.flatMap(({ part, holding, differing, notChecked }) => {
      const counts = line(`  ${TITLES[part]}`, [holding, differing.length, notChecked]);
      if (enforced.includes(part)) return [counts, ...differing.map((says) => `    ✖ ${says}`)];
      return [differing.length === 0 ? counts : `${counts}   (--${part} makes these count, and shows the bytes)`];
    }),
  ].join('\n');
}

const args = process.argv.slice(2);
if (args.includes('--help')) console.log(USAGE);
else process.exitCode = await check(readOptions(args));
