// What Linux tells of a process.
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, in MiB. */
export function residentMemory(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kibibytes === undefined) throw new Error(`Process ${pid} has no memory.`);
  return Number(kibibytes) / 1024;
}

/** How many files and connections are open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
