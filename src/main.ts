// The entry point. It loads the service and starts it. When a file cannot be loaded, for example because the process has too few file
// descriptors, the log says so in one line. Therefore everything is loaded from here, and nothing by a static import.

const FAILURE = 1; // the exit code for everything but a stop and a wrong configuration

process.on('SIGHUP', () => {}); // without a handler SIGHUP ends the process; the one that reads the TLS files comes later

const service = await import('./start.ts').catch(cannotLoad);
await service?.start();

function cannotLoad({ name, message, stack }: Error): undefined {
  const described = { message: 'The process ends because of an error that nothing caught.', error: { name, message, stack } };
  process.stdout.write(`${JSON.stringify({ time: new Date(), level: 'fatal', ...described })}\n`);
  process.exitCode = FAILURE;
  setTimeout(process.exit, 1_000).unref(); // if nobody reads the log; otherwise the process ends when it has been written
}
