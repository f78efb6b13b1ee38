// Prints the table of the soak test: a row each time that a certain number of requests more has been sent.
import type { Load } from '../../support/load.ts';
import { residentMemory } from '../../support/usage.ts';
import type { Target } from './target.ts';

const SAMPLE_MS = 200;

/** Until `sending` resolves, prints a row every `step` requests, with the highest memory since the row before. Resolves with the highest of all. */
export async function watch(target: Target, load: Load, step: number, sending: Promise<void>): Promise<number> {
  let last = { at: performance.now(), requests: 0 };
  let highest = 0;
  let highestOfAll = 0;
  printRow('requests', 'per second', 'RSS MiB', 'connections');

  const timer = setInterval(() => {
    highest = Math.max(highest, residentMemory(target.pid));
    highestOfAll = Math.max(highest, highestOfAll);
    const [at, requests] = [performance.now(), load.sent()];
    if (requests < last.requests + step) return;
    const perSecond = (requests - last.requests) / ((at - last.at) / 1000);
    printRow(requests, Math.round(perSecond), highest.toFixed(1), target.openConnections());
    last = { at, requests };
    highest = 0;
  }, SAMPLE_MS);
  await sending;
  clearInterval(timer);
  return highestOfAll;
}

function printRow(...columns: readonly (string | number)[]): void {
  console.log(columns.map((column) => String(column).padStart(11)).join(' '));
}
