// Starts the service, or a server with routes of a test's own, in the process of the test, on a free port. The test
// sets the clock, and sees what is reported.
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { SecureContextOptions } from 'node:tls';
import { createApp, type App, type AppOptions } from '../../src/app.ts';
import { readConfiguration } from '../../src/host/configuration.ts';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import type { AccessRecord, Reports } from '../../src/http/reports.ts';
import { createRouter, type Routes } from '../../src/http/router.ts';
import { createServer, type Server, type ServerOptions } from '../../src/server.ts';
import { makeCertificate, temporaryFolder } from './certificates.ts';
import { listenOnPort } from './sockets.ts';

const NOW = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

type ServiceOptions = Partial<Omit<AppOptions, 'reports'>> & { readonly server?: (app: App) => Server };

/** Starts `server`, by default that for plain HTTP; the service stops when the test `t` ends. */
export async function startService(t: TestContext, options: ServiceOptions = {}) {
  const { server = (created: App) => created.createHttpServer(), ...others } = options;
  const { reports, ...reported } = keepReports();
  const app = createApp({ ...readConfiguration({}), isDevelopment: false, now: () => NOW, ...others, reports });
  const port = await listenOnPort(server(app).listener);
  closeAfter(t, app);
  return { app, port, ...reported };
}

type OwnOptions = Partial<ServerOptions> & { readonly path?: string };

/** Starts a server, for HTTPS with `tls`, on a Unix socket with `path`; it stops when the test `t` ends. */
export async function startServer(
  t: TestContext, routes: Routes, { path, ...options }: OwnOptions = {}, tls?: SecureContextOptions,
) {
  const { reports, ...reported } = keepReports();
  const server = createServer({
    ...readConfiguration({}), router: createRouter(routes), hostRules: { takesHttps: false, needsHost: false },
    isDraining: () => false, reports, ...options,
  }, tls);
  let port = 0; // for a Unix socket
  if (path === undefined) port = await listenOnPort(server.listener);
  else await once(server.listener.listen({ path }), 'listening');
  closeAfter(t, server);
  return { server, port, ...reported };
}

// Reports that are kept, so that a test can look at them: errors, reasons of refusals, why connections were closed.
function keepReports() {
  const [reported, records]: [unknown[], AccessRecord[]] = [[], []];
  const [refusals, ends]: [string[], string[]] = [[], []];
  const reports: Reports = {
    failed: (error) => reported.push(error),
    refused: (reason) => refusals.push(reason),
    ended: (reason) => ends.push(reason),
    dropped: (reason) => ends.push(reason),
    finished: (record) => records.push(record),
  };
  return { reports, reported, refusals, ends, records };
}

/** Closes a server, or a service, and all of its connections, when the test `t` ends. */
function closeAfter(t: TestContext, { close, closeAll }: Pick<App, 'close' | 'closeAll'>): void {
  t.after(async () => {
    const isClosed = close();
    closeAll();
    await isClosed;
  });
}

/** The options for TLS, with a new certificate. */
export const tlsOptions = (t: TestContext) =>
  readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), (_, message) => { throw new Error(message); });
