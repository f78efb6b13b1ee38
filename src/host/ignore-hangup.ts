// main.ts imports this file first. Without a handler SIGHUP ends the process, and SIGHUP may arrive before the
// handler that reads the TLS files again is installed.
process.on('SIGHUP', () => {});
