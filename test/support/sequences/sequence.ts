// A sequence over real sockets: a new service, and one to four clients, each of which performs a script.
import assert from 'node:assert/strict';
import { createSecureContext } from 'node:tls';
import type { App } from '../../../src/app.ts';
import { createRandom } from '../random.ts';
import { openService, type Service } from '../service.ts';
import { checkOutcome, type CheckedReplies } from './check-outcome.ts';
import { dialLine, HANG_MS } from './line.ts';
import { play } from './play.ts';
import { makeScript, type Script } from './script.ts';

export type KeyPair = { readonly cert: string; readonly key: string };

export type Sequence = { readonly isSecure: boolean; readonly scripts: readonly Script[] };

// Node does not notice that a client has reset a TLS connection very early: it is closed only after unreadMs.
const TIMES = { sweepMs: 10, silentMs: 10, unreadMs: 1_000 };

/** Makes a sequence. The same seed makes the same sequence. */
export function makeSequence(seed: number): Sequence {
  const random = createRandom(seed);
  const isSecure = random.pick([false, true]);
  return { isSecure, scripts: Array.from({ length: random.pick([1, 1, 1, 2, 4]) }, () => makeScript(random)) };
}

/** Runs a sequence. Throws when a client has not received the replies that it must get, or when a connection stays open. */
export async function runSequence({ isSecure, scripts }: Sequence, keyPair: KeyPair): Promise<void> {
  const secureContext = createSecureContext(keyPair);
  const service = await openService({
    limits: TIMES,
    observed: true,
    server: (app) => (isSecure ? app.createSecureServer(() => secureContext) : app.createServer()),
  });
  const { app, port } = service;
  try {
    const checked = await Promise.all(scripts.map(async (script) => checkOutcome(script, await play(script, dialLine(port, isSecure)))));
    await closeInTime(app);
    checkRecords(service.records, checked);
    assert.deepEqual(service.dropped, [], 'no connection was dropped');
    assert.deepEqual(service.reported, [], 'nothing unexpected happened inside the service');
  } finally {
    app.closeAll();
  }
}

/** Closes the service after its clients have disconnected. Throws when a connection stays open. */
async function closeInTime(app: App): Promise<void> {
  const isInTime = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, HANG_MS, false);
    void app.close().then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  if (!isInTime) throw new Error(`A connection is still open ${HANG_MS / 1000} s after its client has disconnected.`);
}

/** Checks that there is one record for each reply, and no other. */
function checkRecords(records: Service['records'], checked: readonly CheckedReplies[]): void {
  if (!checked.every(({ isWhole }) => isWhole)) return;
  const statuses = checked.flatMap(({ replies }) => replies.map(({ status }) => String(status)));
  const recorded = records.map(({ status, aborted }) => (aborted === undefined ? String(status) : `aborted ${status}`));
  assert.deepEqual(recorded.sort(), statuses.sort(), 'each reply has one record');
}

/** The sequence as text, for the report of a failure. */
export function describeSequence({ isSecure, scripts }: Sequence): string {
  const shown = (_name: string, value: unknown) => (typeof value === 'string' && value.length > 400 ? `${value.slice(0, 400)}… (${value.length} bytes)` : value);
  return JSON.stringify({ isSecure, steps: scripts.map(({ steps }) => steps) }, shown);
}
