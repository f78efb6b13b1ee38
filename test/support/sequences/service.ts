// The service of a sequence, and what it reports.
import { createApp, type App } from '../../../src/app.ts';
import { readConfiguration } from '../../../src/host/configuration.ts';
import type { FinishedRequest, Reports } from '../../../src/server/reports.ts';
import { Turns } from '../../../src/server/turns.ts';
import { Valve } from '../../../src/server/valve.ts';
import { LIMITS, type Surroundings } from './steps.ts';

/** The parts of the service that a player needs. A copy of the service has others. */
export type Code = { readonly createApp: typeof createApp; readonly Turns: typeof Turns; readonly Valve: typeof Valve };

export const CODE: Code = { createApp, Turns, Valve };

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
export async function makeService(
  code: Code, { maxConnections, turnCost }: Pick<Surroundings, 'maxConnections' | 'turnCost'>, note: (text: string) => void,
): Promise<Service> {
  const records: FinishedRequest[] = [];
  const dropped: Dropped[] = [];
  const failures: unknown[] = [];
  const app = await code.createApp({
    ...readConfiguration({}),
    development: false,
    now: () => GENERATED_AT,
    keepAliveTimeoutMs: LIMITS.idleMs,
    maxConnections,
    limits: LIMITS,
    turns: new code.Turns(turnCost),
    reports: {
      failed: (error) => failures.push(error),
      refused: (status) => note(`refused ${status}`),
      ended: (reason) => note(`ended ${reason}`),
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
