// Starts the service in the process of the test, on a free port. The test sets the clock and sees all reports.
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { TestContext } from 'node:test';
import { createApp, type App, type AppOptions } from '../../src/app.ts';
import { readConfiguration } from '../../src/host/configuration.ts';
import type { FinishedRequest } from '../../src/server/reports.ts';

export const NOW = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

export type Service = {
  readonly app: App;
  readonly server: Server;
  readonly port: number;
  /** What the service has reported so far: errors, refusals, early ends, closed connections and finished requests. */
  readonly reported: readonly { readonly error: unknown; readonly traceId: string }[];
  readonly refusals: readonly number[];
  readonly ended: readonly string[];
  readonly dropped: readonly string[];
  readonly records: readonly FinishedRequest[];
};

export type ServiceOptions = Partial<Omit<AppOptions, 'reports'>> & {
  readonly observed?: boolean;
  /** Creates the server that is started; by default it is the one for plain HTTP. */
  readonly server?: (app: App) => Server;
};

/** Starts the service; it stops when the test `t` ends. */
export async function startService(t: TestContext, options: ServiceOptions = {}): Promise<Service> {
  const service = await openService(options);
  t.after(async () => {
    const closed = service.app.close();
    service.app.closeAll();
    await closed;
  });
  return service;
}

/** Starts the service. The caller must stop it. */
export async function openService({ observed = false, server: create = (app) => app.createServer(), ...others }: ServiceOptions = {}): Promise<Service> {
  const reported: { error: unknown; traceId: string }[] = [];
  const refusals: number[] = [];
  const ended: string[] = [];
  const dropped: string[] = [];
  const records: FinishedRequest[] = [];
  const app = await createApp({
    ...readConfiguration({}), development: false, now: () => NOW,
    ...others,
    reports: {
      failed: (error, traceId) => reported.push({ error, traceId }),
      refused: (status) => refusals.push(status),
      ended: (reason) => ended.push(reason),
      dropped: (reason) => dropped.push(reason),
      finished: observed ? (record) => records.push(record) : undefined,
    },
  });
  const server = create(app);
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  return { app, server, port: address.port, reported, refusals, ended, dropped, records };
}
