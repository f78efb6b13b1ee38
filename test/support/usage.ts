// Measures what a process uses, by what Linux says in /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of all threads, in microseconds: exact while the process is idle; of that, user time, by 10 ms. */
export function cpuTime(pid: number): { readonly total: number; readonly user: number } {
  const nanoseconds = readdirSync(`/proc/${pid}/task`)
    .map((task) => Number.parseInt(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8')));
  const user = 10_000 * Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]);
  return { total: nanoseconds.reduce((sum, one) => sum + one, 0) / 1000, user };
}

/** Resident memory, in MiB: now, and the most that there has been. */
export function residentMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const inMiB = (line: RegExp) => Number(line.exec(status)?.[1]) / 1024;
  return { now: inMiB(/VmRSS:\s*(\d+)/), peak: inMiB(/VmHWM:\s*(\d+)/) };
}
