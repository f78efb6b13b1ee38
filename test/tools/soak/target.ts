// The process under test: the service, and what can be measured of it from outside.
import { setTimeout as delay } from 'node:timers/promises';
import { tlsVariables } from '../../support/certificates.ts';
import { portIn, startProcess, type LogLine } from '../../support/process.ts';
import { openFiles } from '../../support/usage.ts';

// This is about the heap that V8 uses in a container with 256 MiB. With the memory of a whole machine, V8 collects
// garbage so late that hundreds of MiB of it look like a leak from outside.
const SMALL_HEAP = '--max-old-space-size=128 --max-semi-space-size=1';
const LIVE_HEAP = new URL('live-heap.js', import.meta.url).href;
const QUIET_MS = 10_000;

/** Starts the service. With `tls`, its port is that for HTTPS, on which it listens first. */
export async function startTarget(tls: boolean) {
  const env = { PORT: '0', ACCESS_LOG: 'false', NODE_OPTIONS: `${SMALL_HEAP} --import=${LIVE_HEAP}`, ...(tls && tlsVariables()) };
  const { child, nextLine, ended } = startProcess(env);
  const port = portIn(await nextLine());
  const { pid = 0 } = child;
  const filesAtRest = openFiles(pid);
  const errors: string[] = [];
  function note(line: LogLine): void {
    if (line.level === 'error' || line.level === 'fatal') errors.push(`The service has logged ${JSON.stringify(line)}`);
  }

  return {
    pid, port,
    errors,
    /** Resolves when no connection is open; throws when some stay open. */
    quiet: async () => {
      // A connection whose last reply is sent may stay open for a second. No event shows from outside when it closes.
      for (const since = performance.now(); openFiles(pid) > filesAtRest; await delay(50)) {
        if (performance.now() - since > QUIET_MS) throw new Error('Connections stay open without clients.');
      }
    },
    /** The heap that is in use after a garbage collection, in MiB. */
    liveHeap: async () => {
      child.kill('SIGUSR2');
      let line = await nextLine();
      for (; line.message !== 'Live heap'; line = await nextLine()) note(line);
      return Number(line['bytes']) / 2 ** 20;
    },
    /** Stops it, and resolves with its exit code. */
    stop: async () => {
      child.kill('SIGTERM');
      const { lines, code } = await ended();
      lines.forEach(note);
      return code;
    },
  };
}
