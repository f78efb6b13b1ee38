// The door: read the configuration, build the service, listen, stop when told to.
import type { Server } from 'node:net';
import { createApp } from './app.ts';
import { environmentWarning, readConfiguration } from './host/configuration.ts';
import { dieWithLastWords } from './host/last-words.ts';
import { listen } from './host/listen.ts';
import { createLog, logUnhandled, summarizeRefusals } from './host/log.ts';
import { createOutput } from './host/output.ts';
import { reloadOnHangup, stopOnSignal } from './host/signals.ts';

const FLUSH_TIMEOUT_MS = 1_000; // for a reader of stdout that is behind, when the process ends

const output = createOutput(process.stdout, (lines) => log('warn', 'Log lines were dropped: stdout was read too slowly.', { lines }));
const log = createLog(output.write);
dieWithLastWords(log);

const configuration = readConfiguration(process.env);
const { environment, host, httpsPort, tlsFiles, reusePort } = configuration;
const warning = environmentWarning(environment);
if (warning !== undefined) log('warn', warning);

const accessLog = createLog(output.writeSoon);
const app = await createApp({
  development: environment === 'Development',
  now: Date.now,
  allowedHosts: configuration.allowedHosts,
  keepAliveTimeoutMs: configuration.keepAliveTimeoutMs,
  reportError: logUnhandled(log),
  reportRefusal: summarizeRefusals(log),
  recordAccess: configuration.accessLog ? (record) => accessLog('info', 'Request', record) : undefined,
});

stopOnSignal(
  { ...app, flush: () => output.end(FLUSH_TIMEOUT_MS) },
  { delayMs: configuration.shutdownDelayMs, timeoutMs: configuration.shutdownTimeoutMs },
  log,
);

async function serve(scheme: string, server: Server, onPort: number): Promise<number> {
  const bound = await listen(server, { host, port: onPort, reusePort });
  log('info', `Listening on ${scheme}://${bound.address}`, { environment: environment ?? null });
  return bound.port;
}

let redirectPort = httpsPort;
let reload = () => {};
if (httpsPort !== undefined && tlsFiles !== undefined) {
  const { readTlsFiles } = await import('./host/tls-files.ts'); // TLS takes time to load: only who uses it pays
  const server = app.createSecureServer(readTlsFiles(tlsFiles, log));
  reload = () => server.setSecureContext(readTlsFiles(tlsFiles, log));
  redirectPort = await serve('https', server, httpsPort);
}
reloadOnHangup(() => reload(), log);
const server = redirectPort === undefined ? app.createServer() : await app.createRedirectServer(redirectPort);
await serve('http', server, configuration.port);
