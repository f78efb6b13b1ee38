// The table of a soak: a row each time that another part of the requests has been sent.
import type { Load } from './load.ts';
import { openFiles, residentMemory } from './proc.ts';

export type Row = { readonly requests: number; readonly mebibytes: number };

const SAMPLE_MS = 200;

export type TableOptions = {
  readonly pid: number;
  readonly load: Load;
  readonly total: number;
  readonly rows: number;
};

/** Prints rows while `load` lasts, each with the highest memory since the row before, and returns them. */
export async function printTable({ pid, load, total, rows }: TableOptions): Promise<Row[]> {
  const filesBefore = openFiles(pid);
  const printed: Row[] = [];
  let last = { at: performance.now(), requests: 0 };
  let mebibytes = 0;

  function sample(): void {
    mebibytes = Math.max(mebibytes, residentMemory(pid));
    if (load.requests < (total * (printed.length + 1)) / rows) return;
    const at = performance.now();
    const perSecond = (load.requests - last.requests) / ((at - last.at) / 1000);
    console.log(line(load.requests, Math.round(perSecond), mebibytes.toFixed(1), openFiles(pid) - filesBefore));
    printed.push({ requests: load.requests, mebibytes });
    last = { at, requests: load.requests };
    mebibytes = 0;
  }

  console.log(line('requests', 'per second', 'RSS MiB', 'connections'));
  const timer = setInterval(sample, SAMPLE_MS);
  await load.done;
  clearInterval(timer);
  return printed;
}

function line(...columns: readonly (string | number)[]): string {
  return columns.map((column) => String(column).padStart(11)).join(' ');
}
