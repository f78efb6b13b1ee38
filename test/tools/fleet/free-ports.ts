// Free ports that no other program takes while the process that listens on them is replaced.
import { once } from 'node:events';
import { createServer } from 'node:net';

// Linux gives ports from 32768 on to outgoing connections. One of them could take the port while its process
// restarts, so lower ports are used.
const LOWEST = 12_000;
const HIGHEST = 32_000;

/** `count` ports of 127.0.0.1 on which no process listens. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  let candidate = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - 1000));
  for (; ports.length < count && candidate < HIGHEST; candidate++) if (await isFree(candidate)) ports.push(candidate);
  if (ports.length < count) throw new Error('There are no free ports.');
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1' });
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
