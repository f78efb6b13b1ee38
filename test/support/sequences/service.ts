// The service of a sequence, and what it reports.
import type { App, createApp } from '../../../src/app.ts';
import type { FinishedRequest, Reports } from '../../../src/server/reports.ts';
import { LIMITS } from './steps.ts';

export type CreateApp = typeof createApp;

/** Why a connection was closed because there were too many. */
export type Dropped = Parameters<Reports['dropped']>[0];

export type Service = {
  readonly app: App;
  readonly records: readonly FinishedRequest[];
  readonly dropped: readonly Dropped[];
  /** Errors that it has reported. */
  readonly failures: readonly unknown[];
};

const GENERATED_AT = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

/** Makes the service. `note` is told what it reports. */
export async function makeService(create: CreateApp, maxConnections: number, note: (text: string) => void): Promise<Service> {
  const records: FinishedRequest[] = [];
  const dropped: Dropped[] = [];
  const failures: unknown[] = [];
  const app = await create({
    development: false,
    now: () => GENERATED_AT,
    allowedHosts: undefined,
    keepAliveTimeoutMs: LIMITS.idleMs,
    maxConnections,
    limits: LIMITS,
    reports: {
      failed: (error) => failures.push(error),
      refused: (status) => note(`refused ${status}`),
      dropped: (reason) => {
        dropped.push(reason);
        note(`dropped ${reason}`);
      },
      finished: (record) => {
        records.push(record);
        const { method, path, status, remoteAddress, aborted } = record;
        note(`record ${remoteAddress} ${method} ${path} ${status} ${aborted}`);
      },
    },
  });
  return { app, records, dropped, failures };
}
