// Sockets that a supervisor has opened and handed over to this process, as sd_listen_fds(3) describes.
import type { HandedTarget } from './listen.ts';
import { mistakeIn } from './start-error.ts';

const FIRST_FD = 3; // SD_LISTEN_FDS_START: 0 to 2 are stdin, stdout and stderr
// Without FileDescriptorName= systemd gives a socket the name of its unit, which ends in `.socket`.
const NAME = /^(?:https?|unknown|.*\.socket|)$/;
const NAMES = 'https for HTTPS; http, unknown, an empty name or one ending in .socket for plain HTTP';

/** The sockets that the process `pid` was handed; undefined: none. `report` gets a sentence for each mistake. */
export function readHandedSockets(env: NodeJS.ProcessEnv, pid: number, report: (mistake: string) => void) {
  const { LISTEN_PID, LISTEN_FDS = '', LISTEN_FDNAMES = '' } = env;
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === '') return undefined; // they are for another process
  const count = /^\d{1,3}$/.test(LISTEN_FDS) ? Number(LISTEN_FDS) : 0;
  const names = LISTEN_FDNAMES === '' ? new Array<string>(count).fill('') : LISTEN_FDNAMES.split(':');
  if (count < 1 || count > 64) {
    report(mistakeIn('LISTEN_FDS', LISTEN_FDS, 'a whole number from 1 to 64'));
  } else if (names.length !== count || !names.every((name) => NAME.test(name))) {
    report(mistakeIn('LISTEN_FDNAMES', LISTEN_FDNAMES, `${count} names separated by colons: ${NAMES}`));
  }
  return names.map((name, i): HandedTarget => ({ fd: FIRST_FD + i, name: name || undefined }));
}
