// Starts the service in the process of the test, on a free port. The test sets the clock and sees errors and refusals.
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { TestContext } from 'node:test';
import { createApp, type App, type AppOptions } from '../../src/app.ts';
import { readConfiguration } from '../../src/host/configuration.ts';
import { NO_REPORTS } from './reports.ts';

export const NOW = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

export type ServiceOptions = Partial<Omit<AppOptions, 'reports'>> & {
  /** Creates the server that is started; by default it is the one for plain HTTP. */
  readonly server?: (app: App) => Server;
};

/** Starts the service; it stops when the test `t` ends. */
export async function startService(t: TestContext, { server: create = (app) => app.createServer(), ...options }: ServiceOptions = {}) {
  const reported: unknown[] = [];
  const refusals: number[] = [];
  const app = await createApp({
    ...readConfiguration({}), development: false, now: () => NOW, ...options,
    reports: { ...NO_REPORTS, failed: (error) => reported.push(error), refused: (status) => refusals.push(status) },
  });
  const server = create(app).listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.after(async () => {
    const closed = app.close();
    app.closeAll();
    await closed;
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  return { app, port: address.port, reported, refusals };
}
