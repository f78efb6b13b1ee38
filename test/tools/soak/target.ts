// The process under test: the service, and what can be measured of it from outside.
import { setTimeout as delay } from 'node:timers/promises';
import { tlsVariables } from '../../support/certificates.ts';
import { portIn, serviceCommand, startProcess } from '../../support/process.ts';
import { openFiles } from '../../support/usage.ts';

export type Options = {
  readonly accessLog: boolean;
  /** Over TLS instead of plain. */
  readonly tls: boolean;
  /** Options of node for the service. */
  readonly nodeOptions: string;
};

const LIVE_HEAP = new URL('live-heap.js', import.meta.url).href;
const QUIET_MS = 10_000;

/** Starts the service. With `tls`, its port is that for HTTPS, on which it listens first. */
export async function startTarget({ accessLog, tls, nodeOptions }: Options) {
  const options = `${nodeOptions} --import=${LIVE_HEAP}`;
  const env = { PORT: '0', ACCESS_LOG: String(accessLog), NODE_OPTIONS: options, ...(tls && tlsVariables()) };
  const { child, lines, nextLine, ended } = startProcess(serviceCommand(), env);
  const port = portIn(await nextLine());
  const { pid = 0 } = child;
  const filesAtRest = openFiles(pid);
  const openConnections = () => openFiles(pid) - filesAtRest;
  const logged = new Map<string, number>();
  let heapIsKnown = (_mebibytes: number) => {};

  const read = (async () => {
    for await (const { level, message, bytes } of lines) {
      const kind = `${level}: ${message.replace(/\d+/g, 'n')}`;
      if (message === 'Live heap') heapIsKnown(Number(bytes) / 2 ** 20);
      else logged.set(kind, (logged.get(kind) ?? 0) + 1);
    }
  })();

  return {
    pid, port, openConnections,
    /** How often each kind of line was logged. */
    logged,
    /** Resolves when no connection is open; throws when some stay open. */
    quiet: async () => {
      // A connection whose last reply is sent may stay open for a second. No event shows from outside when it closes.
      for (const since = performance.now(); openConnections() > 0; await delay(50)) {
        if (performance.now() - since > QUIET_MS) throw new Error(`${openConnections()} connections stay open without clients.`);
      }
    },
    /** The heap that is in use after a garbage collection, in MiB. */
    liveHeap: () => new Promise<number>((resolve) => {
      heapIsKnown = resolve;
      child.kill('SIGUSR2');
    }),
    /** Stops it, and resolves with its exit code. */
    stop: async () => {
      child.kill('SIGTERM');
      await read;
      return (await ended()).code;
    },
  };
}
