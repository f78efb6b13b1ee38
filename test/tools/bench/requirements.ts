// What must be so before anything is measured. Otherwise the process ends with a message.
import { spawnSync } from 'node:child_process';

/** This process may open `count` files and connections. (Node has raised the soft limit to the hard one.) */
export function requireOpenFiles(count: number): void {
  if (process.platform === 'win32') return; // there is no such limit
  const limit = spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout.trim();
  if (limit === 'unlimited' || Number(limit) >= count) return;
  end(`A process may open ${limit} files here, but this needs ${count}: raise the hard limit (ulimit -H -n ${count}).`);
}

/** The names that start with `only`: there is at least one. */
export function namesThatStart(names: readonly string[], only: string): string[] {
  const chosen = names.filter((name) => name.startsWith(only));
  return chosen.length > 0 ? chosen : end(`The names are: ${names.join('; ')}`);
}

function end(message: string): never {
  console.error(message);
  process.exit(1);
}
