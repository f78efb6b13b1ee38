// What counts as a mistake, and how the outcome of a part is printed.
import type { LogLine } from '../support/process.ts';
import type { Tally } from './clients.ts';

/** What a log line says that must not be: a warning, an error, or connections that were not waited for. */
export function mistakesIn({ level, message, connectionsCut = 0 }: LogLine, who: string): string[] {
  return level === 'info' && connectionsCut === 0 ? [] : [`${who}: ${message} (${String(connectionsCut)} connections cut)`];
}

/** Prints the figures under `title`, and returns whether nothing was lost and nothing else went wrong. */
export function report(title: string, { sent, lost, longestMs, reasons }: Readonly<Tally>, mistakes: readonly string[]): boolean {
  console.log(`${title}: ${sent} sent, ${lost} lost, the longest wait ${Math.round(longestMs)} ms`);
  for (const [reason, count] of reasons) console.log(`  ${count} times ${reason}`);
  for (const mistake of mistakes) console.log(`  ${mistake}`);
  return lost === 0 && mistakes.length === 0;
}
