// Waits that end when something has happened, however slow the machine is. Whether nothing happens can only be seen after a while: here it
// is as long as bytes take on another connection, and no fixed time.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startPair } from './socket-pair.ts';

const LIMIT_MS = 20_000;

/** Resolves in the turn of the event loop in which `isSo` has become true. Rejects when that takes too long. */
export async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !isSo(); await turn()) if (Date.now() > end) throw new Error(`It was never so: ${String(isSo)}`);
}

/** Resolves when `value` stays as it is while bytes go to and fro on another connection: what was on its way before has arrived. */
export async function calm(t: TestContext, value: () => number): Promise<void> {
  const { client, accepted } = await startPair(t);
  accepted.pipe(accepted);
  for (let same = 0, before = value(); same < 20; same = value() === before ? same + 1 : 0) {
    before = value();
    client.write('x');
    await once(client, 'data');
  }
}

/** Resolves when all have been told that the stream has closed. */
export async function closed(stream: Duplex): Promise<void> {
  if (stream.closed) await turn();
  else await new Promise((resolve) => stream.once('close', resolve));
}
