// Writes the reports of the running service to the log. Errors and, with an access log, finished requests are written
// one by one. What any client can cause is counted, so that nobody can fill the log: at most one line a minute each.
// A warning is what somebody should look at; what clients end themselves, such as checks by TCP, is none.
import type { Log, LogFields } from './log.ts';

const MAX_PATH = 1_024; // Docker splits lines of 16 KiB: a client could make a line begin where it likes
type WithPath = LogFields & { readonly path?: string | undefined };
const BY_CLIENTS = ['HPE_INVALID_EOF_STATE', 'connectMethod', 'handlerAborted', 'replyNotTaken', 'tlsFailed',
  'handshakeTooSlow', 'proxyHeaderTooSlow']; // why clients have ended connections themselves

/** Writes reports, those of http/reports.ts and failed accepts, to `log`. `load`: how busy the service is. */
export function createReportLogger(log: Log, load: () => LogFields | undefined) {
  const summaries: (() => void)[] = [];
  /** Logs at once all counts that have not been logged yet. */
  const summarize = () => summaries.forEach((logAndReset) => logAndReset());
  setInterval(summarize, 60_000).unref();

  /** Returns a function that counts by key. A summary logs the counts, if any, in the field `name`, and `more`. */
  function count(level: 'info' | 'warn', message: string, name: string, more = (): LogFields => ({})) {
    const counts = new Map<string | number, number>();
    summaries.push(() => {
      if (counts.size > 0) log(level, message, { [name]: Object.fromEntries(counts), ...more() });
      counts.clear();
    });
    return (key: string | number): void => { counts.set(key, (counts.get(key) ?? 0) + 1); };
  }

  let largest: object | undefined; // the client with the most connections when the last of them was closed
  let since = performance.eventLoopUtilization(); // the last line about requests
  const over = count('info', 'Requests in the last minute.', 'byStatus', () => {
    const eventLoopUtilization = Math.round(performance.eventLoopUtilization(since).utilization * 100) / 100;
    since = performance.eventLoopUtilization();
    return { ...load(), eventLoopUtilization };
  });
  const left = count('info', 'Clients ended connections early in the last minute.', 'byReason');
  const refused = count('warn', 'Requests or connections were refused in the last minute.', 'byReason');
  const dropped = count('warn', 'Connections were closed in the last minute, because there were too many of them.',
    'byReason', () => ({ largest }));
  const notAccepted = count('warn', 'Connections could not be accepted in the last minute.', 'byCode');

  return {
    summarize,
    endedEarly: (reason: string) => (BY_CLIENTS.includes(reason) ? left : refused)(reason),
    requestOver: (status: number | undefined) => over(status ?? 'noReply'),
    dropped: (reason: string, client: string | undefined, connections: number) => {
      largest = { client, connections };
      dropped(reason);
    },
    acceptFailed: ({ code, message }: NodeJS.ErrnoException) => notAccepted(code ?? message),
    requestFailed: (error: unknown, request: WithPath) =>
      log('error', 'Unhandled exception occurred while processing the request.', { ...cut(request), error }),
    finished: (request: WithPath) => log('info', 'Request', cut(request)),
  };
}

function cut(request: WithPath): WithPath {
  const { path = '' } = request;
  return path.length > MAX_PATH ? { ...request, path: `${path.slice(0, MAX_PATH)}…` } : request;
}
