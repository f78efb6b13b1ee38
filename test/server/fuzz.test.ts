// What the simulation cannot show, because only the kernel and OpenSSL do it: its random sequences over real sockets, plain, with TLS,
// and Unix sockets. Each client gets the replies that it is owed, and no others. The service lives, and keeps no connection.
//
// A failure names its seed: FUZZ_SEED=<seed> FUZZ_COUNT=1 plays that sequence again. FUZZ_COUNT asks for more.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSecureContext } from 'node:tls';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { runOnSockets, type Transport } from '../support/sequences/listening-service.ts';
import { randomSequence } from '../support/sequences/random-sequence.ts';
import { RARE } from '../support/sequences/rare-sequences.ts';
import { describeSequence, ofClientsOnly, type Sequence } from '../support/sequences/steps.ts';

const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 400);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 60);
const AT_ONCE = 8;
const MAX_FAULTS = 5; // then it is no use to go on

type Played = { readonly name: string; readonly sequence: Sequence; readonly transport: Transport };

/** The sequences of all seeds, and those that are rare. Every other one without TLS is for a Unix socket. */
function* played(t: TestContext): Generator<Played> {
  const folder = temporaryFolder(t);
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  const secureContext = createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  function on(number: number, sequence: Sequence): Pick<Played, 'sequence' | 'transport'> {
    const transport = sequence.surroundings.isSecure ? { secureContext } : number % 4 < 2 ? {} : { path: join(folder, String(number)) };
    return { sequence, transport };
  }
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) {
    const sequence = randomSequence(seed);
    // What the service does can excuse a connection that ends early, so in half of them it does nothing.
    yield { name: `Seed ${seed}`, ...on(seed, seed % 2 === 0 ? ofClientsOnly(sequence) : sequence) };
  }
  for (const [i, sequence] of RARE.entries()) yield { name: `Rare ${i}`, ...on(i, sequence) };
}

/** Plays all, some at once, and returns what went wrong. */
async function run(sequences: Iterator<Played>): Promise<string[]> {
  const faults: string[] = [];
  const running = new Set<Played>();

  const describe = ({ name, sequence }: Played) => `${name}: ${describeSequence(sequence)}`;
  // What nobody catches would end the process. It may be of any of the sequences that run.
  process.setUncaughtExceptionCaptureCallback((error) => {
    faults.push([`Uncaught in one of these: ${error.stack}`, ...Array.from(running, describe)].join('\n'));
  });
  // A socket on which nothing can come does not keep a process alive, and neither do the service's own timers.
  const wake = setInterval(() => {}, 1_000);
  async function player(): Promise<void> {
    for (let next = sequences.next(); next.done !== true && faults.length < MAX_FAULTS; next = sequences.next()) {
      const { value } = next;
      running.add(value);
      await runOnSockets(value.sequence, value.transport).catch((error: unknown) => faults.push(`${String(error)}\n${describe(value)}`));
      running.delete(value);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, player));
  clearInterval(wake);
  process.setUncaughtExceptionCaptureCallback(null);
  return faults;
}

test(`${COUNT} sequences over real sockets, from seed ${FIRST_SEED}, get the replies that they are owed`, async (t) => {
  assert.deepEqual(await run(played(t)), []);
});
