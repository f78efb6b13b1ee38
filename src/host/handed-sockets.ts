// Sockets that a supervisor has opened and hands over, by the rules of sd_listen_fds(3).
import { mistakeIn } from './start-error.ts';

export type HandedSocket = {
  /** The number of its file descriptor in this process. */
  readonly fd: number;
  readonly scheme: 'http' | 'https';
};

const FIRST_FD = 3; // SD_LISTEN_FDS_START: behind stdin, stdout and stderr
const MAX_SOCKETS = 64;

const ACCEPTED_NAMES = 'names separated by colons: https for HTTPS; for plain HTTP http, unknown, none at all, or the name of a socket unit, which ends in .socket';

/**
 * The sockets that were handed over to the process with that `pid`, in their order, or undefined when none
 * were meant for it. `report` is called with a sentence for each mistake.
 */
export function readHandedSockets(env: Readonly<Record<string, string | undefined>>, pid: number, report: (mistake: string) => void): readonly HandedSocket[] | undefined {
  const { LISTEN_PID = '', LISTEN_FDS = '', LISTEN_FDNAMES = '' } = env;
  if (LISTEN_PID === '' || LISTEN_FDS === '') return undefined;
  if (!/^\d+$/.test(LISTEN_PID)) {
    report(mistakeIn('LISTEN_PID', LISTEN_PID, 'the id of the process that the sockets are meant for'));
  } else if (Number(LISTEN_PID) !== pid) {
    return undefined; // the variables were meant for a process that started this one
  }

  const count = /^\d{1,3}$/.test(LISTEN_FDS) ? Number(LISTEN_FDS) : 0;
  const isCount = count >= 1 && count <= MAX_SOCKETS;
  if (!isCount) report(mistakeIn('LISTEN_FDS', LISTEN_FDS, `a whole number from 1 to ${MAX_SOCKETS}`));

  // Without LISTEN_FDNAMES each socket is called "unknown".
  const names = LISTEN_FDNAMES === '' ? new Array<string>(isCount ? count : 0).fill('unknown') : LISTEN_FDNAMES.split(':');
  if (isCount && names.length !== count) report(mistakeIn('LISTEN_FDNAMES', LISTEN_FDNAMES, `as many names as LISTEN_FDS says, ${count}, separated by colons`));
  const schemes = names.map(schemeOf);
  if (schemes.includes(undefined)) report(mistakeIn('LISTEN_FDNAMES', LISTEN_FDNAMES, ACCEPTED_NAMES));
  return schemes.flatMap((scheme, i) => (scheme === undefined ? [] : [{ fd: FIRST_FD + i, scheme }]));
}

// systemd names a socket after its unit, `greeting.socket`, unless FileDescriptorName= says otherwise.
function schemeOf(name: string): HandedSocket['scheme'] | undefined {
  if (name === 'https') return 'https';
  return name === 'http' || name === 'unknown' || name === '' || name.endsWith('.socket') ? 'http' : undefined;
}
