// The door: read the configuration, build the service, listen, stop when told to.
import { createApp } from './app.ts';
import { environmentWarning, readConfiguration } from './host/configuration.ts';
import { dieWithLastWords } from './host/last-words.ts';
import { boundAddress, listen } from './host/listen.ts';
import { createLog, logUnhandled } from './host/log.ts';
import { stopOnSignal } from './host/stop.ts';

const log = createLog((line) => process.stdout.write(line));
dieWithLastWords(log);

const { environment, host, port, shutdownTimeoutMs } = readConfiguration(process.env);
const warning = environmentWarning(environment);
if (warning !== undefined) log('warn', warning);

const server = await createApp({
  development: environment === 'Development',
  now: Date.now,
  reportError: logUnhandled(log),
});
stopOnSignal(server, shutdownTimeoutMs, log);
await listen(server, host, port);
log('info', `Listening on http://${boundAddress(server)}`, { environment: environment ?? null });
