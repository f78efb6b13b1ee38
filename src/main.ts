// The entry point.

process.on('SIGHUP', () => {}); // without a handler SIGHUP ends the process; the one that reads the TLS files comes later

const { start } = await import('./start.ts');
await start();
