// A listening socket such as a supervisor has: it stays open, and this process accepts no connection from it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { descriptorOpenedBy } from '../../support/descriptors.ts';
import type { Address } from './clients.ts';

export type HeldSocket = {
  /** Its descriptor in this process. */
  readonly fd: number;
  /** Where to connect to. */
  readonly address: Address;
};

/** Listens until this process ends: on a free TCP port of this machine, or as a Unix socket in a new folder. */
export async function holdSocket(kind: 'TCP' | 'Unix'): Promise<HeldSocket> {
  let address: Address | undefined;
  const fd = await descriptorOpenedBy(async () => {
    const thread = new Worker(new URL('held-socket-thread.js', import.meta.url), { workerData: kind === 'Unix' ? newPath() : undefined });
    address = await new Promise<Address>((resolve) => thread.once('message', resolve));
  });
  if (address === undefined) throw new Error('The thread does not listen.');
  return { fd, address };
}

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  return join(folder, 'greeting.sock');
}
