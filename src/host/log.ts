// The log: one JSON object on each line. JSON escapes line feeds, so nothing that is logged can forge a line.
import { inspect } from 'node:util';

export type Fields = Readonly<Record<string, unknown>>;
export type Log = (level: 'info' | 'warn' | 'error' | 'fatal', message: string, fields?: Fields) => void;

/** A log that calls `write` with each line and its line feed. The field `error` may be any thrown value. */
export function createLog(write: (line: string) => void): Log {
  return (level, message, fields = {}) => {
    const described = 'error' in fields ? { ...fields, error: describeError(fields['error']) } : fields;
    write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...described })}\n`);
  };
}

const MAX_CAUSES = 8; // an error can be its own cause

/** A thrown value as fields: an Error with its stack and its causes, any other value as text. */
function describeError(error: unknown, causes = MAX_CAUSES): Fields {
  if (!(error instanceof Error)) return { thrown: inspect(error) };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause !== undefined && causes > 0 && { cause: describeError(cause, causes - 1) }) };
}
