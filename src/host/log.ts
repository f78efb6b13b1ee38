// The log: one JSON object on each line. JSON escapes line feeds, so nothing that is logged can forge a line.
import { inspect } from 'node:util';

export type LogFields = Readonly<Record<string, unknown>>;
type Level = 'info' | 'warn' | 'error' | 'fatal';
export type Log = (level: Level, message: string, fields?: LogFields) => void;

/** A line of the log, with its line feed. The field `error` may be any thrown value. */
export function logLine(level: Level, message: string, fields: LogFields = {}): string {
  const described = 'error' in fields ? { ...fields, error: describeError(fields['error']) } : fields;
  return `${JSON.stringify({ time: new Date(), level, message, ...described })}\n`;
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
