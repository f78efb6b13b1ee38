// The entry point. It loads the service and starts it. When a file cannot be loaded, for example because the process has
// too few file descriptors, the log says so in one line. Therefore everything else is loaded from here.
import { EXIT_CODES } from './host/start-error.ts';

process.on('SIGHUP', () => {}); // without a handler SIGHUP ends the process; the one that reads the TLS files comes later

const service = await import('./start.ts').catch(cannotLoad);
await service?.start();

function cannotLoad({ name, message, stack }: Error): undefined {
  const line = { time: new Date(), level: 'fatal', message: 'The process ends because of an error that nothing caught.', error: { name, message, stack } };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  process.exitCode = EXIT_CODES.failure;
  setTimeout(process.exit, 1_000).unref(); // if nobody reads the log; otherwise the process ends when it has been written
}
