// What waits for its turn is not idle: it is answered, at the stop, when room is made and at its time limit, over TCP and over TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { secure } from '../../src/server/tls.ts';
import { Turns } from '../../src/server/turns.ts';
import { readReplies, readToEnd, stall, startWithClock, use, type ClockedService } from '../support/both-sides.ts';
import { keepBusy } from '../support/busy-turns.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { parseReplies, requestBytes } from '../support/exchange.ts';

const health = requestBytes('GET', '/health', []);

/** Starts the service, with one place, and a connection on which a request has arrived, which waits for its turn. */
async function startWaiting(t: TestContext, how: 'TCP' | 'TLS' | 'the handshake') {
  const turns = new Turns();
  const secureContext = readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => {});
  const isSecure = how !== 'TCP';
  const service = await startWithClock(t, {
    turns, maxConnections: 1,
    ...(isSecure && { server: (app) => app.createSecureServer((...carrier) => secure(secureContext, ...carrier)) }),
  });
  const { client: below, accepted } = await service.open();
  let stopBusy = () => {};
  if (how === 'the handshake') {
    accepted.once('data', () => { stopBusy = keepBusy(turns); }); // what the client sends next ends the handshake
  }
  const client: Socket = isSecure ? connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {}) : below;
  if (isSecure) await once(client, 'secureConnect');
  if (how === 'TLS') {
    client.write(health);
    await readReplies(client, 1);
  }
  if (how !== 'the handshake') stopBusy = keepBusy(turns);
  client.write(health);
  while (!accepted.isPaused()) await turn();
  return { service, accepted, client, stopBusy };
}

const replyOf = async (client: Socket) => parseReplies(await readToEnd(client)).map(({ status }) => status);

const events: readonly (readonly [string, (service: ClockedService) => unknown])[] = [
  ['the service closes', ({ app }) => {
    app.startDraining();
    void app.close();
    setImmediate(() => void app.close());
  }],
  ['another connection asks for its place', (service) => service.open()],
  ['a long time passes', ({ pass }) => pass(1_000)],
];

for (const how of ['TCP', 'TLS', 'the handshake'] as const) {
  describe(`over ${how}, a request that waits for its turn is answered`, { timeout: 20_000 }, () => {
    for (const [what, happen] of events) {
      test(`when ${what}`, async (t) => {
        const { service, client, stopBusy } = await startWaiting(t, how);
        await happen(service);
        stopBusy();
        service.app.startDraining(); // so that the connection ends with the reply
        assert.deepEqual(await replyOf(client), [503]);
        assert.ok(service.dropped.every((reason) => reason === 'newRefused'));
      });
    }
  });
}

test('a connection that is late, and goes on before its turn to end comes, does not end', { timeout: 20_000 }, async (t) => {
  const turns = new Turns();
  const service = await startWithClock(t, { turns, development: true });
  const pair = await service.open();
  const sent = await stall(pair);
  const tasks: (() => void)[] = [];
  t.mock.method(turns, 'runOrWait', (_: string, task: () => void) => tasks.push(task));
  service.pass(16);
  await readReplies(pair.client, sent);
  pair.client.resume();
  await use(pair); // the reply before has left then
  for (const task of tasks) task();
  await use(pair);
  assert.deepEqual([tasks.length, service.ended], [1, []]);
});

test('a head of which a byte is read in each second is late after 10 s, although another byte waits whenever time is counted', { timeout: 20_000 }, async (t) => {
  const turns = new Turns();
  const service = await startWithClock(t, { turns });
  const pair = await service.open();
  pair.client.write('GET /');
  await once(pair.accepted, 'data');
  const stopBusy = keepBusy(turns);
  for (let second = 0; second < 12 && service.refusals.length === 0; second += 1) {
    pair.client.write('x');
    await once(pair.accepted, 'pause');
    service.pass(1);
    if (second < 11) await once(pair.accepted, 'resume');
  }
  stopBusy();
  assert.deepEqual(await replyOf(pair.client), [408]);
});

test('connections that are late at the same time end in several turns', { timeout: 20_000 }, async (t) => {
  const service = await startWithClock(t);
  const pairs = [];
  for (let i = 0; i < 60; i += 1) {
    const pair = await service.open();
    pair.client.write('GET');
    await once(pair.accepted, 'data');
    pairs.push(pair);
  }
  service.pass(11);
  assert.ok(service.refusals.length <= 32, `${service.refusals.length} at once`);
  for (const { client } of pairs) assert.deepEqual(await replyOf(client), [408]);
});
