// Starts the service in the process of the test, on a free port. The test sets the clock and sees errors and refusals.
import assert from 'node:assert/strict';
import type { Server } from 'node:net';
import type { TestContext } from 'node:test';
import { createApp, type App, type AppOptions } from '../../src/app.ts';
import { readConfiguration } from '../../src/host/configuration.ts';
import type { Reports } from '../../src/server/reports.ts';
import { listenOnPort } from './sockets.ts';

const NOW = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

/** Nothing is kept, and an error that is reported fails the test. */
export const NO_REPORTS: Reports = {
  failed: (error) => assert.fail(String(error)),
  refused: () => {},
  ended: () => {},
  dropped: () => {},
  finished: undefined,
};

type ServiceOptions = Partial<Omit<AppOptions, 'reports'>> & { readonly server?: (app: App) => Server };

/** Starts `server`, by default that for plain HTTP; the service stops when the test `t` ends. */
export async function startService(t: TestContext, { server: create = (app) => app.createServer(), ...options }: ServiceOptions = {}) {
  const reported: unknown[] = [];
  const refusals: number[] = [];
  const app = await createApp({
    ...readConfiguration({}), development: false, now: () => NOW, ...options,
    reports: { ...NO_REPORTS, failed: (error) => reported.push(error), refused: (status) => refusals.push(status) },
  });
  const port = await listenOnPort(create(app));
  closeAfter(t, app);
  return { app, port, reported, refusals };
}

/** Closes a server, or a service, and all of its connections, when the test `t` ends. */
export function closeAfter(t: TestContext, { close, closeAll }: Pick<App, 'close' | 'closeAll'>): void {
  t.after(async () => {
    const isClosed = close();
    closeAll();
    await isClosed;
  });
}
