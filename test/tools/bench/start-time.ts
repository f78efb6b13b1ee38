// Measures how long a start takes, from the creation of the process to its first reply.
import { once } from 'node:events';
import { connect } from 'node:net';
import { startServer } from './processes.ts';

/** Starts each script `rounds` times, in turn. Returns the milliseconds of each start, by name. */
export async function startTimes(scripts: ReadonlyMap<string, string>, rounds: number): Promise<ReadonlyMap<string, number[]>> {
  const times = new Map(Array.from(scripts.keys(), (name) => [name, new Array<number>()]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, script] of scripts) times.get(name)?.push(await startTime(script));
  }
  return times;
}

async function startTime(script: string): Promise<number> {
  const begin = performance.now();
  const server = await startServer(script);
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  const time = performance.now() - begin;
  socket.destroy();
  await server.stop();
  return time;
}
