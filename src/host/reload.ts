// SIGHUP: what can be read again without a restart is read again.
import { describeError, type Log } from './log.ts';

/** On SIGHUP calls `reload`; when that throws, what was in use stays in use. */
export function reloadOnHangup(reload: () => void, log: Log): void {
  process.on('SIGHUP', () => {
    try {
      reload();
      log('info', 'The TLS files, if any, have been read again.');
    } catch (error) {
      log('error', 'The TLS files could not be read again; those in use stay.', { error: describeError(error) });
    }
  });
}
