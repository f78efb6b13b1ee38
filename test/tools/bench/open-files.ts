// How many files and connections a process may open.
import { spawnSync } from 'node:child_process';

/** Ends the process with a message when it may not open `count` files. (Node has raised the soft limit to the hard one.) */
export function requireOpenFiles(count: number): void {
  if (process.platform === 'win32') return; // there is no such limit
  const limit = spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout.trim();
  if (limit === 'unlimited' || Number(limit) >= count) return;
  console.error(`A process may open ${limit} files here, but this needs ${count}: raise the hard limit (ulimit -H -n ${count}).`);
  process.exit(1);
}
