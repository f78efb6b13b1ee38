// Starts the service, or a server with routes of a test's own, in the process of the test, on a free port. The test
// sees what is reported. Nothing is refused for being slow: on a busy machine, the clients of a test may be.
import type { TestContext } from 'node:test';
import type { SecureContextOptions } from 'node:tls';
import { createApp, type App, type AppOptions } from '../../src/app.ts';
import { readConfiguration } from '../../src/host/configuration.ts';
import type { AccessRecord, Reports } from '../../src/http/reports.ts';
import { createRouter, type Routes } from '../../src/http/router.ts';
import type { HttpServerOptions } from '../../src/server/http-server.ts';
import { createServer, type Server, type ServerSetup } from '../../src/server/server.ts';
import { clientOf, createFairServer } from '../../src/turns/fair-server.ts';
import { listenOnPort } from './sockets.ts';

export type ServiceOptions = Partial<AppOptions> & {
  readonly server?: (app: App) => Server;
  readonly create?: typeof createApp;
};

function start({ httpServer }: Server, path?: string): Promise<number> {
  return listenOnPort(Object.assign(httpServer, { headersTimeout: 0, requestTimeout: 0 }), path);
}

/** What the app and its routes need, by default. */
export const appOptions = () => ({ ...readConfiguration({}), isDevelopment: false, now: Date.now });

/** Starts `server`, by default that for plain HTTP; the service stops when the test `t` ends. */
export async function startService(t: TestContext, options: ServiceOptions = {}) {
  const { server = (created: App) => created.createPlainServer(), create = createApp, ...others } = options;
  const { reports, ...reported } = keepReports();
  const app = create({ ...appOptions(), reports, ...others });
  t.after(() => Promise.all([app.close(), app.closeAll()]));
  return { app, port: await start(server(app)), ...reported };
}

/** What a server with these routes needs, by default. */
export const setupOf = (routes: Routes) =>
  ({ ...readConfiguration({}), router: createRouter(routes), headRules: {}, isDraining: () => false, clientOf });

export type StartOptions = Partial<ServerSetup> & { readonly path?: string; readonly maxConnections?: number };

/** Starts a server, for HTTPS with `tls`, or on a Unix socket with `path`; it stops when the test `t` ends. */
export async function startServer(
  t: TestContext, routes: Routes, { path, maxConnections = 1_000, ...options }: StartOptions = {},
  tls?: SecureContextOptions,
) {
  const { reports, ...reported } = keepReports();
  const createHttpServer = (own: HttpServerOptions) => createFairServer({ ...own, maxConnections });
  const server = createServer({ ...setupOf(routes), createHttpServer, reports, ...options }, tls);
  t.after(() => Promise.all([server.close(), server.closeAll()]));
  return { server, port: await start(server, path), ...reported };
}

/** Reports that are kept, so that a test can look at them: errors, and why requests and connections ended early. */
export function keepReports() {
  const [reported, records]: [unknown[], AccessRecord[]] = [[], []];
  const [ends, failedRequests]: [string[], string[]] = [[], []];
  const reports: Reports = {
    requestFailed: (error, { method, path }) => {
      reported.push(error);
      failedRequests.push(`${method} ${path}`);
    },
    endedEarly: (reason) => ends.push(reason),
    dropped: (reason) => ends.push(reason),
    requestOver: () => {},
    finished: (record) => records.push(record),
  };
  return { reports, reported, failedRequests, ends, records };
}
