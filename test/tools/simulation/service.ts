// The service of a sequence, and what it reports.
import { createApp } from '../../../src/app.ts';
import { readConfiguration } from '../../../src/host/configuration.ts';
import type { DropReason, FinishedRequest } from '../../../src/server/interface.ts';
import { createServerOn } from '../../../src/server/server.ts';
import { openTls } from '../../../src/transport/tls.ts';
import { openTcp, type OpenTransport } from '../../../src/transport/transport.ts';
import { createTurns } from '../../../src/transport/turns.ts';
import { RecordSocket } from './record-socket.ts';
import { LIMITS, type Surroundings } from './steps.ts';

/** The parts of the service that are needed here. A mutant has others. */
export const CODE = { createApp, createServerOn, openTcp, openTls, createTurns };
export type Code = Readonly<typeof CODE>;

/** Makes the service, with lists of what it reports; `note` is also told. */
export async function makeService(code: Code, { maxConnections, turnCost }: Surroundings, note: (text: string) => void) {
  const records: FinishedRequest[] = [];
  const dropped: DropReason[] = [];
  const failures: unknown[] = [];
  const turns = code.createTurns(turnCost);
  const openSecure: OpenTransport = (...accepted) => code.openTls((valve) => new RecordSocket(valve), ...accepted);
  const app = await code.createApp({
    ...readConfiguration({}),
    createServer: (options, tls) => {
      const open = tls === undefined ? code.openTcp : openSecure;
      return { ...code.createServerOn(open, { ...options, turns, limits: LIMITS }), setSecureContext: () => {} };
    },
    development: false,
    now: () => 0,
    keepAliveTimeoutMs: LIMITS.idleMs,
    maxConnections,
    reports: {
      failed: (error) => failures.push(error),
      refused: (reason) => note(`refused ${reason}`),
      ended: (reason) => note(`ended ${reason}`),
      dropped: (reason) => { dropped.push(reason); note(`dropped ${reason}`); },
      finished: (record) => {
        records.push(record);
        const { method, path, status, remoteAddress, aborted } = record;
        note(`record ${remoteAddress} ${method} ${path} ${status} ${aborted}`);
      },
    },
  });
  return { app, records, dropped, failures };
}
