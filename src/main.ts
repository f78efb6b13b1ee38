// The entry point. It loads the service and starts it. When a file cannot be loaded, for example because the process has run out of file
// descriptors, the log says so in one line. Therefore everything is loaded from here, and nothing by a static import.

process.on('SIGHUP', () => {}); // without a handler SIGHUP ends the process; the one that reads the TLS files comes later

const start = await import('./start.ts').catch(cannotLoad);
await start?.start();

function cannotLoad({ name, message, stack }: Error): undefined {
  const described = { message: 'The process is exiting because of an uncaught error.', error: { name, message, stack } };
  process.stdout.write(`${JSON.stringify({ time: new Date(), level: 'fatal', ...described })}\n`);
  process.exitCode = 1; // as EXIT_CODES.failure says, which cannot be loaded either
  setTimeout(process.exit, 1_000).unref(); // if nobody reads the log; otherwise the process ends when it has been written
}
