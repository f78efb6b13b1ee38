// The process of the load generator. It is not the process of the server, so that only the work of the server is
// measured. It reads commands from stdin, with tabs between the words, and answers each with a line on stdout:
//   open PORT CONNECTIONS                                      ready
//   run PORT KIND PATH CONNECTIONS REQUESTS TIME_MS            STATUS REQUESTS_PER_SECOND P50 P99
//   close PORT                                                 ready
import { createInterface } from 'node:readline';
import { closeConnections, openConnections } from './client-connections.ts';
import { runLoad } from './load-run.ts';

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...words] = line.split('\t');
  if (command === 'open') console.log(await open(words));
  if (command === 'run') console.log(await run(words));
  if (command === 'close') console.log(close(words));
}

async function open([port, connections]: readonly string[]): Promise<string> {
  await openConnections(Number(port), Number(connections));
  return 'ready';
}

async function run([port, kind, path = '', connections, requests, timeMs]: readonly string[]): Promise<string> {
  const { status, requestsPerSecond, p50, p99 } = await runLoad({
    port: Number(port),
    requestKind: kind === 'browser' ? 'browser' : 'Host only',
    path,
    connections: Number(connections),
    requests: Number(requests),
    timeMs: Number(timeMs),
  });
  return [status, requestsPerSecond, p50, p99].join('\t');
}

function close([port]: readonly string[]): string {
  closeConnections(Number(port));
  return 'ready';
}
