// Starts the service in the process of the test, on a free port. The test sets the clock and sees errors and refusals.
import type { Server } from 'node:net';
import type { TestContext } from 'node:test';
import { createApp, loadServer, type App, type AppOptions } from '../../src/app.ts';
import { readConfiguration } from '../../src/host/configuration.ts';
import type { Reason } from '../../src/http/refusals.ts';
import { listenOnPort } from './sockets.ts';

const NOW = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

type ServiceOptions = Partial<Omit<AppOptions, 'reports'>> & {
  readonly kind?: 'strict' | 'node';
  readonly server?: (app: App) => Promise<Server>;
};

const plain = (app: App) => app.createHttpListener();

/** Starts `server`, by default that for plain HTTP; the service stops when the test `t` ends. */
export async function startService(t: TestContext, { kind = 'strict', server: create = plain, ...options }: ServiceOptions = {}) {
  const reported: unknown[] = [];
  const refusals: Reason[] = [];
  const { createServer } = await loadServer(kind);
  const app = await createApp({
    createServer,
    ...readConfiguration({}), development: false, now: () => NOW, ...options,
    reports: {
      failed: (error) => reported.push(error), refused: (reason) => refusals.push(reason),
      ended: () => {}, dropped: () => {}, finished: undefined,
    },
  });
  const port = await listenOnPort(await create(app));
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
