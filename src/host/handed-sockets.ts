// Sockets that a supervisor has opened and hands over to this process, as sd_listen_fds(3) defines it.
import type { HandedTarget, Scheme } from './listen.ts';
import { mistakeIn } from './start-error.ts';

export type HandedSocket = HandedTarget & { readonly scheme: Scheme };
export type Environment = Readonly<Record<string, string | undefined>>;

const FIRST_FD = 3; // SD_LISTEN_FDS_START: 0 to 2 are stdin, stdout and stderr
const MAX_SOCKETS = 64;

// Without FileDescriptorName= systemd gives a socket the name of its unit, such as `greeting.socket`.
const ACCEPTED_NAME = /^(?:https?|unknown|.*\.socket|)$/;
const ACCEPTED_NAMES = 'names separated by colons: https for HTTPS; '
  + 'http, unknown, an empty name or a name that ends in .socket for plain HTTP';

/**
 * The sockets that were handed over to the process with id `pid`, in the order of their descriptors; undefined
 * when none were handed over to it. `report` is called with a sentence for each mistake.
 */
export function readHandedSockets(env: Environment, pid: number, report: (mistake: string) => void): readonly HandedSocket[] | undefined {
  const { LISTEN_PID = '', LISTEN_FDS = '', LISTEN_FDNAMES = '' } = env;
  if (LISTEN_PID === '' || LISTEN_FDS === '') return undefined;
  if (!/^\d+$/.test(LISTEN_PID)) report(mistakeIn('LISTEN_PID', LISTEN_PID, 'the id of the process that the sockets are meant for'));
  else if (Number(LISTEN_PID) !== pid) return undefined; // the variables are for another process, which has started this one

  const count = /^\d{1,3}$/.test(LISTEN_FDS) ? Number(LISTEN_FDS) : 0;
  const isCount = count >= 1 && count <= MAX_SOCKETS;
  if (!isCount) report(mistakeIn('LISTEN_FDS', LISTEN_FDS, `a whole number from 1 to ${MAX_SOCKETS}`));

  const names = LISTEN_FDNAMES === '' ? new Array<string>(isCount ? count : 0).fill('') : LISTEN_FDNAMES.split(':');
  if (isCount && names.length !== count) {
    report(mistakeIn('LISTEN_FDNAMES', LISTEN_FDNAMES, `as many names as LISTEN_FDS says, ${count}, separated by colons`));
  }
  if (!names.every((name) => ACCEPTED_NAME.test(name))) report(mistakeIn('LISTEN_FDNAMES', LISTEN_FDNAMES, ACCEPTED_NAMES));
  return names.map((name, i) => ({ fd: FIRST_FD + i, name: name || undefined, scheme: name === 'https' ? 'https' : 'http' }));
}
