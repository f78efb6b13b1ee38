// Starts the service: reads the configuration, creates the service, listens, and stops on a signal.
import { totalmem } from 'node:os';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { createApp, type App } from './app.ts';
import { connectionsIn, isAlmostDevelopment, readConfiguration, type Configuration } from './host/configuration.ts';
import { listen, type Bound, type ListenTarget } from './host/listen.ts';
import { logLine, type Log } from './host/log.ts';
import { createOutput } from './host/output.ts';
import { createReportLogger } from './host/report-logger.ts';
import { createReload, createStop, type SignalActions } from './host/signals.ts';
import { EXIT_CODES, StartError } from './host/start-error.ts';
import type { Server } from './server/server.ts';

const NO_ARGUMENTS = 'The process takes no arguments: it is configured by the environment variables in README.md.';

/** Starts the service. Resolves when it listens, or when the process is already ending. */
export async function start(signals: SignalActions): Promise<void> {
  const output = createOutput(process.stdout);
  const log: Log = (...line) => output.write(logLine(...line));
  let app: App | undefined;
  const { acceptFailed, summarize, ...reports } = createReportLogger(log, () => app?.load());

  /** Closes all connections, and ends the process when the log has been written, or after a second. */
  async function exit(exitCode: number): Promise<void> {
    process.exitCode ??= exitCode; // the first one counts: closing all connections ends a stop, too
    app?.closeAll();
    await nextIteration().then(() => nextIteration()); // the closed connections have reported their requests
    summarize();
    await output.end();
    process.exit();
  }

  function fail(error: unknown): void {
    const isExiting = process.exitCode !== undefined;
    if (error instanceof StartError) {
      for (const reason of error.reasons) log('error', 'The service cannot start.', { reason });
    } else log('fatal', 'The process is exiting because of an uncaught error.', { error });
    const exitCode = error instanceof StartError ? error.exitCode : EXIT_CODES.failure;
    if (!isExiting) return void exit(exitCode);
    process.exitCode = exitCode;
    void output.end().then(() => process.exit()); // what `exit` still had to do may have failed
  }
  process.on('uncaughtException', fail); // or an unhandled rejection: nobody knows what still works

  /** Listens wherever the configuration says, until a signal arrives. */
  async function listenOnAll(own: App, { http, https, tlsFiles, redirectPort }: Configuration): Promise<Bound[]> {
    const bound: Bound[] = [];

    async function listenOn(targets: readonly ListenTarget[], scheme: 'http' | 'https', create: () => Server) {
      for (const target of targets) {
        if (!own.isDraining()) bound.push(await listen(create().httpServer, scheme, target, acceptFailed));
      }
    }

    // HTTPS comes first, because plain HTTP is redirected to its port.
    if (tlsFiles === undefined) signals.reload = () => log('info', 'There are no TLS files to read again.');
    else {
      const { readTlsFiles } = await import('./host/tls-files.ts'); // only if it is needed: it takes 4 MiB
      const tls = await readTlsFiles(tlsFiles, log);
      signals.reload = createReload(async () => own.setSecureContext(await readTlsFiles(tlsFiles, log)), log);
      await listenOn(https, 'https', () => own.createHttpsServer(tls));
    }
    const httpsPort = redirectPort ?? bound[0]?.port; // until here, only HTTPS is bound
    await listenOn(http, 'http', () =>
      (httpsPort === undefined ? own.createPlainServer() : own.createRedirectServer(httpsPort)));
    return bound;
  }

  try {
    if (process.argv.length > 2) throw new StartError([NO_ARGUMENTS]); // the first two are Node and the entry point
    const configuration = readConfiguration(process.env);
    const { environment, accessLog } = configuration;
    const heapBytes = getHeapStatistics().heap_size_limit;
    const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity); // 0: no limit is known
    const maxConnections = Math.min(configuration.maxConnections, connectionsIn(heapBytes, memoryBytes));
    if (maxConnections < configuration.maxConnections) {
      const fields = { maxConnections, heapBytes, memoryBytes };
      log('warn', 'MAX_CONNECTIONS is more than the memory can hold: fewer are accepted.', fields);
    }
    if (isAlmostDevelopment(environment)) {
      log('warn', 'NODE_ENV is almost Development, but not exactly: the API description is off.', { environment });
    }
    app = createApp({
      ...configuration, maxConnections, isDevelopment: environment === 'Development', now: Date.now,
      reports: { ...reports, finished: accessLog ? reports.finished : undefined },
    });
    signals.stop = createStop({ ...app, exit }, configuration, log);
    const bound = await listenOnAll(app, configuration);
    for (const { address, name } of bound) log('info', 'Listening', { address, name, environment });
  } catch (error) {
    fail(error);
  }
}
