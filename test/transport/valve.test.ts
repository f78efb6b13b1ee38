// The valve below TLS, without TLS: what the simulation, which holds the rest of it, does not see.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { BUDGET, createTurns } from '../../src/transport/turns.ts';
import { createValve } from '../../src/transport/valve.ts';
import { calm, startPair, until } from '../support/sockets.ts';

const limit = { timeout: 60_000 };
const SHORT_RECORDS = Buffer.from('170303000100'.repeat(16), 'hex'); // one more than pass at once
const LONG_RECORD = Buffer.concat([Buffer.from('17030337fb', 'hex'), Buffer.alloc(0x37fb)]); // with none after it

async function startValve(t: TestContext, isReady: boolean) {
  const { client, accepted } = await startPair(t, { highWaterMark: 0 });
  const turns = createTurns();
  const { mock } = t.mock.method(turns, 'spend');
  const { stream, isHolding } = createValve(accepted, 'a', turns, () => isReady);
  let received = 0;
  stream.on('data', ({ length }: Buffer) => { received += length; });
  return { client, accepted, stream, isHolding, received: () => received, costs: () => mock.calls.map(({ arguments: [cost] }) => cost) };
}
for (const [what, isReady, bytes, expected] of [
  ['a long record and short ones', true, Buffer.concat([LONG_RECORD, SHORT_RECORDS.subarray(6)]),
    [1024, 512 + LONG_RECORD.length, 15 * 1024, 512 + 15 * 6]],
  ['records of a handshake', false, SHORT_RECORDS, [BUDGET / 2, 512 + 15 * 6, BUDGET / 2, 512 + 6]],
] as const) {
  test(`the valve makes ${what} cost more than their bytes`, limit, async (t) => {
    const { client, received, costs } = await startValve(t, isReady);
    client.write(bytes);
    await until(() => received() === bytes.length);
    assert.deepEqual(costs(), expected);
  });
}

test('the valve lets one piece through when TLS asks, and no more until it asks again', limit, async (t) => {
  const { client, accepted, stream, received } = await startValve(t, true);
  stream.pause();
  const record = Buffer.concat([Buffer.from('1703034000', 'hex'), Buffer.alloc(0x4000)]);
  client.write(Buffer.concat([record, record, record]));
  await calm(t, () => accepted.bytesRead);
  assert.ok(stream.readableLength <= 0x4000, `${stream.readableLength} bytes`);
  stream.resume();
  await until(() => received() === 3 * record.length);
});

test('a whole record is held until TLS takes it', limit, async (t) => {
  const { client, stream, isHolding, received } = await startValve(t, true);
  stream.pause().read(0);
  client.write(SHORT_RECORDS.subarray(0, 6));
  await until(() => stream.readableLength === 6);
  assert.equal(isHolding(), true);
  stream.resume();
  await until(() => received() === 6);
  assert.equal(isHolding(), false);
});

test('the valve lets nothing through while the client does not read what is written', limit, async (t) => {
  const { client, accepted, stream, received } = await startValve(t, true);
  client.pause();
  let isTaken = false;
  stream.write(Buffer.alloc(10_000_000), () => { isTaken = true; });
  client.write(Buffer.alloc(100_000));
  await calm(t, () => accepted.bytesRead);
  assert.deepEqual([received(), isTaken], [0, false]);
  client.resume();
  await until(() => received() === 100_000);
  assert.equal(isTaken, true);
});
