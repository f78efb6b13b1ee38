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
import { describeSequence, isOfClient } from '../support/sequences/steps.ts';
import { tlsOptions } from '../support/server.ts';
import { startService } from '../support/service.ts';
import { listenOnPort } from '../support/sockets.ts';

const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 400);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 60);
const AT_ONCE = 8;

test(`${COUNT} sequences from seed ${FIRST_SEED} get the replies that they are owed`, { timeout: 110_000 }, async (t) => {
  const { app, port, reported } = await startService(t, { turns: new Turns(1) });
  const path = join(temporaryFolder(t), 'socket');
  await once((await app.createHttpListener()).listen({ path }), 'listening');
  const overTls = { port: await listenOnPort(await app.createHttpsListener(await tlsOptions(t))) };

  const seeds = Array.from({ length: COUNT }, (_, i) => FIRST_SEED + i).values();
  async function play(): Promise<void> {
    for (const seed of seeds) {
      const sequence = randomSequence(seed);
      const { isSecure } = sequence.surroundings;
      const place = isSecure ? overTls : seed % 2 === 0 ? { port } : { path };
      await playOnSockets(sequence.steps.filter(isOfClient), place, isSecure).catch((error: unknown) => {
        throw new Error(`Seed ${seed}: ${String(error)}\n${describeSequence(sequence)}`);
      });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, play));
  assert.deepEqual(reported, []);
  const awake = setInterval(() => {}, 1_000); // neither the timers of the service nor sockets that are not read keep the process running
  await app.close();
  clearInterval(awake);
});
