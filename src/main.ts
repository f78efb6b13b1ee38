// The entry point: read the configuration, build the service, listen, stop when a signal says so.
import './host/ignore-hangup.ts';
import type { Server } from 'node:net';
import { createApp } from './app.ts';
import { isAlmostDevelopment, readConfiguration } from './host/configuration.ts';
import { listen, type Bound, type ListenTarget } from './host/listen.ts';
import { createLog } from './host/log.ts';
import { createOutput } from './host/output.ts';
import { createReportLogger } from './host/report-logger.ts';
import { installReloadHandler, installStopHandler } from './host/signals.ts';
import { EXIT_CODES, joinStartErrors, StartError } from './host/start-error.ts';
import type { TlsFiles } from './host/tls-files.ts';
import { installUncaughtErrorHandler } from './host/uncaught-errors.ts';

const FLUSH_TIMEOUT_MS = 1_000; // for a reader of stdout that is behind, when the process ends

const output = createOutput(process.stdout, (count) => log('warn', 'Log lines were dropped: stdout was read too slowly.', { count }));
const log = createLog(output.write);
installUncaughtErrorHandler(log);

const configuration = readConfiguration(process.env);
const { environment, tlsFiles } = configuration;
if (isAlmostDevelopment(environment)) log('warn', 'NODE_ENV is almost Development, but not exactly: the API description is off.', { environment });

const reports = createReportLogger(log, configuration.accessLog ? createLog(output.writeSoon) : undefined);
const app = await createApp({
  development: environment === 'Development',
  now: Date.now,
  allowedHosts: configuration.allowedHosts,
  keepAliveTimeoutMs: configuration.keepAliveTimeoutMs,
  maxConnections: configuration.maxConnections,
  reports,
});

/** From the first signal on, new connections are for other processes that were given the same sockets, and wait there for the next one. */
function startDraining(): void {
  app.startDraining();
  if ([...configuration.http, ...configuration.https].some(({ fd }) => fd !== undefined)) app.stopListening();
}

installStopHandler(
  { ...app, startDraining, summarize: reports.summarize, flush: () => output.flush(FLUSH_TIMEOUT_MS) },
  { delayMs: configuration.shutdownDelayMs, timeoutMs: configuration.shutdownTimeoutMs },
  log,
);

const bound: Bound[] = [];
const failures: StartError[] = [];

/** Listens with `server`. What cannot be listened on is reported later, all of it at once. */
async function serve(scheme: 'http' | 'https', server: Server, target: ListenTarget): Promise<void> {
  const result = await listen(server, scheme, target, reports.acceptFailed);
  if (result instanceof StartError) failures.push(result);
  else bound.push(result);
}

/** Servers for HTTPS, each with what it is to listen on, and what reads their TLS files again. */
async function createSecureServers(files: TlsFiles) {
  const { readTlsFiles } = await import('./host/tls-files.ts'); // TLS takes time to load: only who uses it pays
  const context = readTlsFiles(files, log);
  const secureServers = configuration.https.map((target) => ({ target, server: app.createSecureServer(context) }));
  function reload(): void {
    const renewed = readTlsFiles(files, log);
    for (const { server } of secureServers) server.setSecureContext(renewed);
  }
  return { secureServers, reload };
}

const { secureServers, reload } = tlsFiles === undefined ? { secureServers: [], reload: () => {} } : await createSecureServers(tlsFiles);
installReloadHandler(reload, log);

// HTTPS is bound first: plain HTTP is redirected to its port.
for (const { server, target } of secureServers) await serve('https', server, target);
const redirectPort = configuration.redirectPort ?? bound.find(({ port }) => port !== undefined)?.port;
if (bound.length > 0 && redirectPort === undefined && configuration.http.length > 0) {
  failures.push(new StartError(['Plain HTTP is redirected, and the socket for HTTPS has no port: HTTPS_REDIRECT_PORT must be set to the one that clients see.'], EXIT_CODES.configuration));
}
for (const target of configuration.http) {
  await serve('http', redirectPort === undefined ? app.createServer() : app.createRedirectServer(redirectPort), target);
}
if (failures.length > 0) throw joinStartErrors(failures);

for (const { address } of bound) log('info', 'Listening', { address, environment: environment ?? null });

const { watchDescriptors } = await import('./host/descriptors.ts'); // not before the service listens: each file makes the start longer
watchDescriptors(reports.acceptFailed);
