// This is preloaded into the service. On SIGUSR2 it collects garbage, and logs how much of the heap is still in use.
import { liveHeap } from '../../support/usage.ts';

process.on('SIGUSR2', () => {
  const line = { time: new Date().toISOString(), level: 'info', message: 'Live heap', bytes: liveHeap() };
  process.stdout.write(`${JSON.stringify(line)}\n`);
});
