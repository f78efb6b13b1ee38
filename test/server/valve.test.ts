// The valve below TLS, without TLS: what the simulation, which holds the rest of it, does not see.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { BUDGET, Turns } from '../../src/server/turns.ts';
import { Valve } from '../../src/server/tls.ts';
import { calm, startPair, until } from '../support/sockets.ts';

const limit = { timeout: 60_000 };
const SHORT_RECORDS = Buffer.from('170303000100'.repeat(15), 'hex');

async function startValve(t: TestContext, isReady: boolean) {
  const { client, accepted } = await startPair(t, { highWaterMark: 0 });
  const turns = new Turns();
  const { mock } = t.mock.method(turns, 'spend');
  const valve = new Valve(accepted, 'a', turns);
  valve.isReady = isReady;
  let received = 0;
  valve.on('data', ({ length }: Buffer) => { received += length; });
  return { client, accepted, valve, received: () => received, costs: () => mock.calls.map(({ arguments: [cost] }) => cost) };
}

for (const [what, isReady, cost] of [
  ['short records', true, 15 * 1024],
  ['records of a handshake', false, BUDGET / 2],
] as const) {
  test(`the valve makes ${what} cost more than their bytes`, limit, async (t) => {
    const { client, received, costs } = await startValve(t, isReady);
    client.write(SHORT_RECORDS);
    await until(() => received() === SHORT_RECORDS.length);
    assert.deepEqual(costs(), [cost, 512 + SHORT_RECORDS.length]);
  });
}

test('the valve lets one piece through when TLS asks, and no more until it asks again', limit, async (t) => {
  const { client, accepted, valve, received } = await startValve(t, true);
  valve.pause();
  const record = Buffer.concat([Buffer.from('1703034000', 'hex'), Buffer.alloc(0x4000)]);
  client.write(Buffer.concat([record, record, record]));
  await calm(t, () => accepted.bytesRead);
  assert.ok(valve.readableLength <= 0x4000, `${valve.readableLength} bytes`);
  valve.resume();
  await until(() => received() === 3 * record.length);
});

test('the valve lets nothing through while the client does not read what is written', limit, async (t) => {
  const { client, accepted, valve, received } = await startValve(t, true);
  client.pause();
  let isTaken = false;
  valve.write(Buffer.alloc(50_000_000), () => { isTaken = true; });
  client.write(Buffer.alloc(100_000));
  await calm(t, () => accepted.bytesRead);
  assert.deepEqual([received(), isTaken], [0, false]);
  client.resume();
  await until(() => received() === 100_000);
  assert.equal(isTaken, true);
});
