// Measures what a process uses, in /proc: on Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** User and system CPU time of all threads, in microseconds. It is exact to the nanosecond while the process is idle. */
export function cpuTime(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) => Number.parseInt(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8')));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

/** Resident memory, in MiB; 0 when the process has just ended. */
export function residentMemory(pid: number): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** The number of open files and connections. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
