// The service in this process, on a free port, with a clock and a log that the test holds.
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { createApp } from '../../src/app.ts';

export const NOW = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

export type Reported = { readonly error: unknown; readonly traceId: string };

export type Service = { readonly port: number; readonly reported: readonly Reported[] };

/** Starts the service; it stops when the test `t` ends. */
export async function startService(t: TestContext, options: { development?: boolean; now?: () => number } = {}): Promise<Service> {
  const reported: Reported[] = [];
  const server = await createApp({
    development: options.development ?? false,
    now: options.now ?? (() => NOW),
    reportError: (error, traceId) => reported.push({ error, traceId }),
  });
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: address.port, reported };
}
