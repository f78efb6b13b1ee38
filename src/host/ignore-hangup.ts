// Imported before everything else: without a handler SIGHUP ends a process, and it may arrive before there
// are TLS files to read again.
process.on('SIGHUP', () => {});
