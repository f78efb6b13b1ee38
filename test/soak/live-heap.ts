// Preloaded into the service: on SIGUSR2 it collects garbage, and logs what is left.
import { liveHeap } from '../support/live-heap.ts';

process.on('SIGUSR2', () => {
  const line = { time: new Date().toISOString(), level: 'info', message: 'Live heap', bytes: liveHeap() };
  process.stdout.write(`${JSON.stringify(line)}\n`);
});
