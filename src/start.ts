// Starts the service: reads the configuration, creates the service, listens, and stops on a signal.
import type { Server } from 'node:net';
import { createApp, loadTls, type App } from './app.ts';
import { isAlmostDevelopment, readConfiguration, type Configuration } from './host/configuration.ts';
import { watchDescriptors } from './host/descriptors.ts';
import { listen, type Bound, type ListenTarget, type Scheme } from './host/listen.ts';
import { createLog, type Log } from './host/log.ts';
import { createOutput } from './host/output.ts';
import { createReportLogger } from './host/report-logger.ts';
import { installReloadHandler, installStopHandler } from './host/signals.ts';
import { EXIT_CODES, joinStartErrors, StartError } from './host/start-error.ts';
import { installUncaughtErrorHandler } from './host/uncaught-errors.ts';

const NO_ARGUMENTS = 'The process takes no arguments: environment variables configure it, and README.md lists them.';
const FLUSH_TIMEOUT_MS = 1_000; // how long the end of the process waits for its last log lines to be written

/** Starts the service. Resolves when it listens, and rejects with a StartError when it cannot. */
export async function start(): Promise<void> {
  const output = createOutput(process.stdout, (count) => log('warn', 'Log lines were dropped: stdout was read too slowly.', { count }));
  const log = createLog(output.write);
  let app: App | undefined;
  let isStopping = false;

  /** Ends the process when the log has been written. If that must wait, no connection is left open in the meantime. */
  function exit(exitCode: number): void {
    void output.end(FLUSH_TIMEOUT_MS).then(() => process.exit(exitCode));
    const running = app;
    app = undefined; // only once: if this throws, it calls this function again
    setImmediate(() => { running?.stopListening(); running?.closeAll(); });
  }
  installUncaughtErrorHandler(log, exit);

  if (process.argv.length > 2) throw new StartError([NO_ARGUMENTS], EXIT_CODES.configuration); // after node and the entry point
  const configuration = readConfiguration(process.env);
  const { environment } = configuration;
  if (isAlmostDevelopment(environment)) {
    log('warn', 'NODE_ENV is almost Development, but not exactly: the API description is off.', { environment });
  }
  const reports = createReportLogger(log, configuration.accessLog ? createLog(output.writeSoon) : undefined);
  const service = await createApp({ ...configuration, development: environment === 'Development', now: Date.now, reports });
  app = service;

  /** Drains. New connections to sockets that were handed over are then left to other processes, present or future. */
  function startDraining(): void {
    isStopping = true;
    service.startDraining();
    if ([...configuration.http, ...configuration.https].some(({ fd }) => fd !== undefined)) service.stopListening();
  }

  const { shutdownDelayMs: delayMs, shutdownTimeoutMs: timeoutMs } = configuration;
  installStopHandler({ ...service, startDraining, summarize: reports.summarize, exit }, { delayMs, timeoutMs }, log);

  const bound: Bound[] = [];
  const failures: StartError[] = [];

  /** Listens with `server`. A failure is kept, so that all failures are reported together. */
  async function serve(scheme: Scheme, server: Server, target: ListenTarget): Promise<void> {
    if (isStopping) return; // a signal has come during the start
    const result = await listen(server, scheme, target, reports.acceptFailed);
    if (result instanceof StartError) failures.push(result);
    else bound.push(result);
  }

  const { secureServers, reload } = await createSecureServers(service, configuration, log);
  installReloadHandler(reload, log);

  // HTTPS listens first, because plain HTTP is redirected to its port.
  for (const { server, target } of secureServers) await serve('https', server, target);
  const redirectPort = configuration.redirectPort ?? bound.find(({ port }) => port !== undefined)?.port;
  if (bound.length > 0 && redirectPort === undefined && configuration.http.length > 0) {
    const reason = 'the socket for HTTPS has no port: HTTPS_REDIRECT_PORT must be set to the port that clients see';
    failures.push(new StartError([`Plain HTTP is redirected, and ${reason}.`], EXIT_CODES.configuration));
  }
  for (const target of configuration.http) {
    await serve('http', redirectPort === undefined ? service.createServer() : service.createRedirectServer(redirectPort), target);
  }
  if (failures.length > 0) throw joinStartErrors(failures);

  for (const { address, name } of bound) log('info', 'Listening', { address, name, environment: environment ?? null });
  watchDescriptors(reports.acceptFailed);
}

/** Creates the servers for HTTPS, each with its target, and a function that reads their TLS files again. */
async function createSecureServers(app: App, { https, tlsFiles }: Configuration, log: Log) {
  if (tlsFiles === undefined) return { secureServers: [], reload: undefined };
  const [{ readTlsFiles }, { secure }] = await Promise.all([import('./host/tls-files.ts'), loadTls()]);
  let context = readTlsFiles(tlsFiles, log);
  const secureServers = https.map((target) => ({ target, server: app.createSecureServer((...carrier) => secure(context, ...carrier)) }));
  const reload = () => { context = readTlsFiles(tlsFiles, log); };
  return { secureServers, reload };
}
