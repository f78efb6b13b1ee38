// Sequences of requests, legal and illegal. Each has a service of its own, one of its listeners, and one to four
// clients that send, pause, read or not, and leave in any order. Whatever they do: the process lives, each
// client gets the replies that it is owed and no others, and nothing stays in memory.
//
// Those that run by default, against the service before its connections were rebuilt: an error that nobody
// catches (write EPIPE) behind a CONNECT, and 8,331 requests that are parsed behind the last one.
//
// A failure names its seed: FUZZ_SEED=<seed> FUZZ_COUNT=1 runs that sequence again. FUZZ_COUNT asks for more.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { describeSequence, makeSequence, runSequence, type KeyPair, type Sequence } from '../fuzz/sequence.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { liveHeap } from '../support/live-heap.ts';
import { openFiles } from '../support/usage.ts';

const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 400);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 120);
const FOUND_SEEDS = process.env['FUZZ_SEED'] === undefined ? [7107683, 15003768, 15050375] : []; // found in long runs
const SEEDS = [...FOUND_SEEDS, ...Array.from({ length: COUNT }, (_, i) => FIRST_SEED + i)];
const AT_ONCE = 8;
const MAX_FAULTS = 5; // then it is no use to go on

/** Runs the sequences, some at once, and returns what went wrong. */
async function run(keyPair: KeyPair): Promise<string[]> {
  const faults: string[] = [];
  const running = new Map<number, Sequence>();
  let next = 0;

  // What nobody catches would end the process. It may be of any of the sequences that run.
  process.setUncaughtExceptionCaptureCallback((error) => {
    faults.push([`Uncaught in one of these: ${error.stack}`, ...Array.from(running, ([seed, sequence]) => `Seed ${seed}: ${describeSequence(sequence)}`)].join('\n'));
  });
  // Node warns when a socket has more than ten listeners for one event.
  const onWarning = (warning: Error) => {
    if (warning.name === 'MaxListenersExceededWarning') faults.push(`A warning: ${warning.message}`);
  };
  process.on('warning', onWarning);
  // A socket on which nothing can come does not keep a process alive, and neither do the service's own timers.
  const wake = setInterval(() => {}, 1_000);
  async function client(): Promise<void> {
    for (let seed = SEEDS[next++]; seed !== undefined && faults.length < MAX_FAULTS; seed = SEEDS[next++]) {
      const sequence = makeSequence(seed);
      running.set(seed, sequence);
      try {
        await runSequence(sequence, keyPair);
      } catch (error) {
        faults.push(`Seed ${seed}: ${String(error)}\n${describeSequence(sequence)}`);
      }
      running.delete(seed);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  clearInterval(wake);
  process.off('warning', onWarning);
  process.setUncaughtExceptionCaptureCallback(null);
  return faults;
}

/** The live heap. What belongs to connections that have just closed is released step by step, by several collections. */
async function heapAtRest(): Promise<number> {
  for (let turns = 0; turns < 5; turns++) {
    await turn();
    liveHeap();
  }
  return liveHeap();
}

test(`${COUNT} sequences, from seed ${FIRST_SEED}, get the replies that they are owed and leave nothing behind`, async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const keyPair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  assert.deepEqual(await run(keyPair), []);
  const filesBefore = process.platform === 'linux' ? openFiles(process.pid) : 0;
  const heapBefore = await heapAtRest();
  assert.deepEqual(await run(keyPair), []);
  const growth = await heapAtRest() - heapBefore;
  assert.ok(growth < 1_000_000, `${growth} bytes of heap stay after ${COUNT} more sequences`);
  assert.equal(process.platform === 'linux' ? openFiles(process.pid) : 0, filesBefore);
});
