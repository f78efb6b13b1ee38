// The end: a signal closes the listener, requests under way finish, and the process exits.
import type { Server } from 'node:http';
import type { Log } from './log.ts';

/** On SIGTERM or SIGINT: no new connections, and `timeoutMs` for the requests under way. */
export function stopOnSignal(server: Server, timeoutMs: number, log: Log): void {
  const stop = (signal: NodeJS.Signals) => {
    log('info', `Stopping on ${signal}`);
    server.close(() => log('info', 'Stopped'));
    setTimeout(() => server.closeAllConnections(), timeoutMs).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
