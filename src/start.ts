// Starts the service: reads the configuration, creates the service, listens, and stops on a signal.
import type { Server as Listener } from 'node:net';
import { createApp, loadServer, type App } from './app.ts';
import { isAlmostDevelopment, readConfiguration } from './host/configuration.ts';
import { listen, watchDescriptors, type Bound, type ListenTarget, type Scheme } from './host/listen.ts';
import { createLog } from './host/log.ts';
import { createOutput } from './host/output.ts';
import { createReportLogger } from './host/report-logger.ts';
import { installReloadHandler, installStopHandler, installUncaughtErrorHandler } from './host/signals.ts';
import { EXIT_CODES, StartError } from './host/start-error.ts';

const NO_ARGUMENTS = 'The process takes no arguments: it is configured by the environment variables in README.md.';
const NO_REDIRECT_PORT = 'HTTPS_REDIRECT_PORT must be set to the port that clients see: the socket for HTTPS has no port.';

/** Starts the service. Resolves when it listens or is already stopping, and rejects with a StartError when it cannot. */
export async function start(): Promise<void> {
  const output = createOutput(process.stdout, (count) => log('warn', 'Log lines were dropped: stdout was read too slowly.', { count }));
  const log = createLog(output.write);
  let running: App | undefined;

  /** Ends the process when the log has been written, or after a second. If that takes time, connections are closed in the meantime. */
  function exit(exitCode: number): void {
    void output.end().then(() => process.exit(exitCode));
    setImmediate(() => { running?.closeAll(); });
  }
  installUncaughtErrorHandler(log, exit);

  if (process.argv.length > 2) throw new StartError([NO_ARGUMENTS], EXIT_CODES.configuration); // the first two are Node and the entry point
  const configuration = readConfiguration(process.env);
  const { environment, http, https, tlsFiles } = configuration;
  if (isAlmostDevelopment(environment)) {
    log('warn', 'NODE_ENV is almost Development, but not exactly: the API description is off.', { environment });
  }
  const reports = createReportLogger(log, configuration.accessLog ? createLog(output.writeSoon) : undefined);
  const { createServer } = await loadServer(configuration.server);
  const app = await createApp({ ...configuration, createServer, development: environment === 'Development', now: Date.now, reports });
  running = app;

  let isStopping = false;
  function startDraining(): void {
    isStopping = true;
    app.startDraining();
    // New connections to sockets that were handed over are left to other processes, present or future.
    if ([...http, ...https].some(({ fd }) => fd !== undefined)) app.stopListening();
  }
  installStopHandler({ ...app, startDraining, summarize: reports.summarize, exit }, configuration, log);

  const bound: Bound[] = [];
  const failures: StartError[] = []; // they are reported together
  async function listenOn(targets: readonly ListenTarget[], scheme: Scheme, createListener: () => Promise<Listener>): Promise<void> {
    for (const target of targets) {
      if (isStopping) return; // a signal arrived during start-up
      const result = await listen(await createListener(), scheme, target, reports.acceptFailed);
      if (result instanceof StartError) failures.push(result);
      else bound.push(result);
    }
  }

  // HTTPS listens first, because plain HTTP is redirected to its port. Its modules are loaded only if they are used.
  if (tlsFiles === undefined) installReloadHandler(undefined, log);
  else {
    const { readTlsFiles } = await import('./host/tls-files.ts');
    let tls = await readTlsFiles(tlsFiles, log);
    installReloadHandler(async () => { app.setSecureContext(tls = await readTlsFiles(tlsFiles, log)); }, log);
    await listenOn(https, 'https', () => app.createHttpsListener(tls));
  }
  const redirectPort = configuration.redirectPort ?? bound.find(({ port }) => port !== undefined)?.port;
  if (bound.length > 0 && redirectPort === undefined && http.length > 0) {
    failures.push(new StartError([NO_REDIRECT_PORT], EXIT_CODES.configuration));
  }
  await listenOn(http, 'http', () => (redirectPort === undefined ? app.createHttpListener() : app.createRedirectListener(redirectPort)));
  if (failures.length > 0) {
    const exitCode = Math.max(...failures.map((failure) => failure.exitCode)); // 78, if any says that restarting is useless
    throw new StartError(failures.flatMap(({ reasons }) => reasons), exitCode);
  }

  for (const { address, name } of bound) log('info', 'Listening', { address, name, environment: environment ?? null });
  watchDescriptors(reports.descriptorLacking);
}
