// Preloaded into the service: on SIGUSR2 it collects garbage, and logs what is left.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

process.on('SIGUSR2', () => {
  if (typeof collectGarbage === 'function') collectGarbage();
  const line = { time: new Date().toISOString(), level: 'info', message: 'Live heap', bytes: process.memoryUsage().heapUsed };
  process.stdout.write(`${JSON.stringify(line)}\n`);
});
