// What Linux tells of a process.
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, in MiB: none of a process that has just ended. */
export function residentMemory(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes ?? 0) / 1024;
}

/** How many files and connections are open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
