// What the simulation cannot show, because only the kernel and OpenSSL do it: random sequences of requests over real sockets,
// with and without TLS. The clients reset or close the connection, end their side, and do not read. Each gets the replies that
// it is owed, and no others. The service lives, and keeps no connection.
//
// A failure names its seed: FUZZ_SEED=<seed> FUZZ_COUNT=1 runs that sequence again. FUZZ_COUNT asks for more.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeSequence, makeSequence, runSequence, type KeyPair, type Sequence } from '../support/sequences/sequence.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';

const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 400);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 60);
const AT_ONCE = 8;
const MAX_FAULTS = 5; // then it is no use to go on

/** Runs the sequences, some at once, and returns what went wrong. */
async function run(keyPair: KeyPair): Promise<string[]> {
  const faults: string[] = [];
  const running = new Map<number, Sequence>();
  let next = FIRST_SEED;

  // What nobody catches would end the process. It may be of any of the sequences that run.
  process.setUncaughtExceptionCaptureCallback((error) => {
    faults.push([`Uncaught in one of these: ${error.stack}`, ...Array.from(running, ([seed, sequence]) => `Seed ${seed}: ${describeSequence(sequence)}`)].join('\n'));
  });
  // A socket on which nothing can come does not keep a process alive, and neither do the service's own timers.
  const wake = setInterval(() => {}, 1_000);
  async function client(): Promise<void> {
    while (next < FIRST_SEED + COUNT && faults.length < MAX_FAULTS) {
      const seed = next;
      next += 1;
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
  process.setUncaughtExceptionCaptureCallback(null);
  return faults;
}

test(`${COUNT} sequences over real sockets, from seed ${FIRST_SEED}, get the replies that they are owed`, async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const keyPair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  assert.deepEqual(await run(keyPair), []);
});
