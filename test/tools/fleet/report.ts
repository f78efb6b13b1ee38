// Finds mistakes in the log, and prints the results of a part.
import type { LogLine } from '../../support/process.ts';
import type { Tally } from './clients.ts';

/** The mistake that a log line shows, if any: a warning, an error, or connections that were closed by the time limit. */
export function mistakesIn({ level, message, connectionsCut = 0 }: LogLine, who: string): string[] {
  return level === 'info' && connectionsCut === 0 ? [] : [`${who}: ${message} (${String(connectionsCut)} connections cut)`];
}

/** Prints the results under `title`, and returns whether no request was lost and there was no other mistake. */
export function report(title: string, { sent, lost, longestMs, reasons }: Readonly<Tally>, mistakes: readonly string[]): boolean {
  console.log(`${title}: ${sent} sent, ${lost} lost, the longest wait ${Math.round(longestMs)} ms`);
  for (const [reason, count] of reasons) console.log(`  ${count} times ${reason}`);
  for (const mistake of mistakes) console.log(`  ${mistake}`);
  return lost === 0 && mistakes.length === 0;
}
