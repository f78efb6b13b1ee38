// Measures what a process uses. What is read in /proc is there on Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

/** User and system CPU time of all threads, in microseconds. It is exact to the nanosecond while the process is idle. */
export function cpuTime(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) => Number.parseInt(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8')));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

/** Resident memory, in MiB: now, and the most that there has been. */
export function residentMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const inMiB = (line: RegExp) => Number(line.exec(status)?.[1]) / 1024;
  return { now: inMiB(/VmRSS:\s*(\d+)/), peak: inMiB(/VmHWM:\s*(\d+)/) };
}

/** Collects garbage, and returns how many bytes of the heap and of buffers are still in use. */
export function liveHeap(): number {
  for (let i = 0; i < 2; i += 1) if (typeof collectGarbage === 'function') collectGarbage(); // the second time, the first is finished
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * The CPU time of `run` in microseconds: the least of `tries`, because anything else that happens can only add to it. It depends on the
 * machine, so it is only ever compared with that of other work on the same one.
 */
export function leastCpuTime(run: () => void, tries: number): number {
  return Math.min(...Array.from({ length: tries }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }));
}
