// The log: one JSON object a line, so that whatever is logged is data and can't forge a line.

export type Level = 'info' | 'warn' | 'error' | 'fatal';
export type Fields = Readonly<Record<string, unknown>>;
export type Log = (level: Level, message: string, fields?: Fields) => void;

/** A log that hands each line, with its line feed, to `write`. A field `error` may hold whatever was thrown. */
export function createLog(write: (line: string) => void): Log {
  return (level, message, fields = {}) => {
    const start = `{"time":"${timestamp()}","level":"${level}","message":${JSON.stringify(message)}`;
    const rest = JSON.stringify('error' in fields ? { ...fields, error: describeError(fields['error']) } : fields).slice(1);
    write(`${start}${rest === '}' ? '' : ','}${rest}\n`);
  };
}

let stampedAt = Number.NaN;
let stamp = '';

// ISO 8601 in UTC. Access lines come by the hundred in a millisecond: one string serves them all.
function timestamp(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stamp = new Date(now).toISOString();
    stampedAt = now;
  }
  return stamp;
}

const MAX_CAUSES = 8; // an error can be its own cause

/** Whatever was thrown, as data: an Error with its stack and its causes, anything else as text. */
function describeError(error: unknown, causes = MAX_CAUSES): Fields {
  if (!(error instanceof Error)) return { thrown: process.getBuiltinModule('node:util').inspect(error) };
  const { name, message, stack, cause } = error;
  const described = { name, message, stack };
  return cause === undefined || causes === 0 ? described : { ...described, cause: describeError(cause, causes - 1) };
}
