// Sockets that a supervisor has opened and handed over to this process, as sd_listen_fds(3) describes.
import type { HandedTarget } from './listen.ts';
import { mistakeIn } from './start-error.ts';

const FIRST_FD = 3; // SD_LISTEN_FDS_START: 0 to 2 are stdin, stdout and stderr
const MAX_SOCKETS = 64;

// Without FileDescriptorName= systemd gives a socket the name of its unit, such as `greeting.socket`.
const ACCEPTED_NAME = /^(?:https?|unknown|.*\.socket|)$/;
const ACCEPTED_NAMES = 'names separated by colons: https for HTTPS; http, unknown, an empty name or one ending in .socket for plain HTTP';

/** The sockets that the process `pid` was handed, by descriptor; undefined: none. `report` gets a sentence for each mistake. */
export function readHandedSockets(env: NodeJS.ProcessEnv, pid: number, report: (mistake: string) => void) {
  const { LISTEN_PID = '', LISTEN_FDS = '', LISTEN_FDNAMES = '' } = env;
  if (LISTEN_PID === '' || LISTEN_FDS === '') return undefined;
  if (!/^\d+$/.test(LISTEN_PID)) report(mistakeIn('LISTEN_PID', LISTEN_PID, 'the id of the process that the sockets are meant for'));
  else if (Number(LISTEN_PID) !== pid) return undefined; // they were meant for another process, whose environment this one has inherited

  const count = /^\d{1,3}$/.test(LISTEN_FDS) && Number(LISTEN_FDS) <= MAX_SOCKETS ? Number(LISTEN_FDS) : 0;
  const names = LISTEN_FDNAMES === '' ? new Array<string>(count).fill('') : LISTEN_FDNAMES.split(':');
  if (count === 0) report(mistakeIn('LISTEN_FDS', LISTEN_FDS, `a whole number from 1 to ${MAX_SOCKETS}`));
  else if (names.length !== count) {
    report(mistakeIn('LISTEN_FDNAMES', LISTEN_FDNAMES, `as many names as LISTEN_FDS says, ${count}, separated by colons`));
  }
  if (!names.every((name) => ACCEPTED_NAME.test(name))) report(mistakeIn('LISTEN_FDNAMES', LISTEN_FDNAMES, ACCEPTED_NAMES));
  return names.map((name, i): HandedTarget => ({ fd: FIRST_FD + i, name: name || undefined }));
}
