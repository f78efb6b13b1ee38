// The process of the attackers. Its arguments are PORT, the number of slow clients and the number of clients that
// flood. It prints `ready`, and answers each line on stdin with four numbers on stdout, separated by tabs: slow
// connections that are open, slow connections closed so far, flooding connections ended so far, and bytes of the
// flood sent so far.
import { createInterface } from 'node:readline';
import { startFlood } from './flood.ts';
import { startSlowClients } from './slow-clients.ts';

const [port, slowCount, floodCount] = process.argv.slice(2).map(Number);
if (port === undefined || slowCount === undefined || floodCount === undefined) throw new Error('Usage: attackers.js PORT SLOW FLOODING');

const slow = await startSlowClients(port, slowCount);
const flood = startFlood(port, floodCount);
console.log('ready');
for await (const _ of createInterface({ input: process.stdin })) {
  console.log([slow.open(), slow.closed(), flood.ended(), flood.bytesSent()].join('\t'));
}
