// What the simulation cannot show, because only the kernel and OpenSSL do it: what clients do in its random sequences, over real sockets,
// plain, with TLS, and Unix sockets. Each client gets the replies that it is owed, and no others. The service keeps no connection.
//
// A failure names its seed: FUZZ_SEED=<seed> FUZZ_COUNT=1 plays that sequence again. FUZZ_COUNT asks for more.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { Turns } from '../../src/transport/turns.ts';
import { temporaryFolder } from '../support/certificates.ts';
import { playOnSockets } from '../support/sequences/play-on-sockets.ts';
import { randomSequence } from '../support/sequences/random-sequence.ts';
import { RARE } from '../support/sequences/rare-sequences.ts';
import { describeSequence, ofClientsOnly, type Sequence } from '../support/sequences/steps.ts';
import { tlsOptions } from '../support/server.ts';
import { startService } from '../support/service.ts';
import { listenOnPort } from '../support/sockets.ts';

const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 400);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 60);
const AT_ONCE = 8;

function* sequences(): Generator<readonly [name: string, sequence: Sequence]> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) yield [`Seed ${seed}`, ofClientsOnly(randomSequence(seed))];
  for (const [i, sequence] of RARE.entries()) yield [`Rare ${i}`, ofClientsOnly(sequence)];
}

test(`${COUNT} sequences from seed ${FIRST_SEED} get the replies that they are owed`, { timeout: 110_000 }, async (t) => {
  const { app, port, reported } = await startService(t, { turns: new Turns(1) });
  const path = join(temporaryFolder(t), 'socket');
  await once((await app.createServer()).listen({ path }), 'listening');
  const overTls = { port: await listenOnPort(await app.createSecureServer(await tlsOptions(t))) };

  let plain = 0;
  const all = sequences();
  async function play(): Promise<void> {
    for (const [name, sequence] of all) {
      const { isSecure } = sequence.surroundings;
      const place = isSecure ? overTls : (plain += 1) % 2 === 0 ? { port } : { path };
      await playOnSockets(sequence.steps, place, isSecure).catch((error: unknown) => {
        throw new Error(`${name}: ${String(error)}\n${describeSequence(sequence)}`);
      });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, play));
  assert.deepEqual(reported, []);
  await app.close();
});
