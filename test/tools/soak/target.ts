// The process under test: the service, and what can be measured of it from outside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeCertificate } from '../../support/certificates.ts';
import { startService } from '../fleet/service-process.ts';
import type { LogLine } from '../../support/process.ts';
import { openFiles } from '../../support/usage.ts';

export type Target = {
  readonly pid: number;
  readonly port: number;
  readonly openConnections: () => number;
  /** Resolves when no connection is open; throws when some stay open. */
  readonly quiet: () => Promise<void>;
  /** The heap that is in use after a garbage collection, in MiB. */
  readonly liveHeap: () => Promise<number>;
  /** How often each kind of line was logged. */
  readonly logged: ReadonlyMap<string, number>;
  readonly stop: () => Promise<number | null>;
};

const LIVE_HEAP = new URL('live-heap.js', import.meta.url).href;
const QUIET_MS = 10_000;

function tlsVariables() {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  return { HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

/** Starts the service, with node's options `nodeOptions`. With `tls`, its port is that for HTTPS, on which it listens first. */
export async function startTarget(accessLog: boolean, tls: boolean, nodeOptions: string): Promise<Target> {
  const logged = new Map<string, number>();
  let heapIsKnown = (_mebibytes: number) => {};

  function onLine({ level, message, ...fields }: LogLine): void {
    if (message === 'Live heap') {
      heapIsKnown(Number(fields['bytes']) / 2 ** 20);
      return;
    }
    const kind = `${level}: ${message.replace(/\d+/g, 'n')}`;
    logged.set(kind, (logged.get(kind) ?? 0) + 1);
  }

  const env = { PORT: '0', ACCESS_LOG: String(accessLog), NODE_OPTIONS: `${nodeOptions} --import=${LIVE_HEAP}`, ...(tls && tlsVariables()) };
  const { pid, port, stop } = await startService(env, onLine);
  const filesAtRest = openFiles(pid);
  const openConnections = () => openFiles(pid) - filesAtRest;
  return {
    pid,
    port,
    openConnections,
    quiet: async () => {
      // A connection whose last reply is sent may stay open for a second. No event shows from outside when it closes.
      for (const since = performance.now(); openConnections() > 0; await delay(50)) {
        if (performance.now() - since > QUIET_MS) throw new Error(`${openConnections()} connections are still open after all clients have disconnected.`);
      }
    },
    liveHeap: () =>
      new Promise((resolve) => {
        heapIsKnown = resolve;
        process.kill(pid, 'SIGUSR2');
      }),
    logged,
    stop,
  };
}
