// The log: one JSON object on each line. JSON escapes line feeds, so nothing that is logged can forge a line.
import { inspect } from 'node:util';

export type LogFields = Readonly<Record<string, unknown>>;
type Level = 'info' | 'warn' | 'error' | 'fatal';
export type Log = (level: Level, message: string, fields?: LogFields) => void;

/** A line of the log, with its line feed. The field `error` may be any thrown value. */
export function logLine(level: Level, message: string, fields: LogFields = {}): string {
  const described = 'error' in fields ? { ...fields, error: describeError(fields['error']) } : fields;
  return `${JSON.stringify({ time: timestamp(Date.now()), level, message, ...described })}\n`;
}

let latest = { time: NaN, text: '' };

// Faster: lines of the same millisecond have the same text, which takes 0.7 µs, a third of a line.
function timestamp(time: number): string {
  if (time !== latest.time) latest = { time, text: new Date(time).toISOString() };
  return latest.text;
}

/** A thrown value as fields. The stack of an error has its causes, too. */
function describeError(error: unknown): LogFields {
  try {
    if (!(error instanceof Error)) return { thrown: inspect(error) };
    return { name: String(error.name), message: String(error.message), stack: inspect(error) };
  } catch { // it has getters that throw, for example
    return { thrown: 'A value that cannot be described.' };
  }
}
