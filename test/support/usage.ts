// Measures what a process uses: exactly in /proc on Linux, and roughly with `ps` elsewhere.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** User and system CPU time of all threads, in microseconds. On Linux it is exact to the nanosecond while the process is idle. */
export function cpuTime(pid: number): number {
  if (process.platform !== 'linux') return psCpuTime(pid);
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) => Number.parseInt(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8')));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

// [hours:]minutes:seconds[.hundredths]
function psCpuTime(pid: number): number {
  const seconds = ps(pid, 'time').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return seconds * 1_000_000;
}

/** Resident memory, in MiB; 0 when the process has just ended. */
export function residentMemory(pid: number): number {
  const kibibytes = process.platform === 'linux' ? linuxResidentMemory(pid) : ps(pid, 'rss');
  return Number(kibibytes ?? 0) / 1024;
}

function linuxResidentMemory(pid: number): string | undefined {
  return /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
}

/** The number of open files and connections, on Linux. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function ps(pid: number, column: string): string {
  return spawnSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}
