// The valve below TLS, without TLS. How it passes on the ends of both sides is seen where a connection over TLS ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { TURN_COST, Turns } from '../../src/server/turns.ts';
import { Valve } from '../../src/server/valve.ts';
import { startPair } from '../support/socket-pair.ts';
import { calm, closed, until } from '../support/wait.ts';

const PIECE = 16 * 1024;
const SHORT_RECORDS = Buffer.from('170303000100'.repeat(15), 'hex');

async function startValve(t: TestContext, isReady = true, turns = new Turns()) {
  const { client, accepted } = await startPair(t, { highWaterMark: 0 });
  const valve = new Valve(accepted, 'a', turns).on('error', () => {});
  valve.isReady = isReady;
  let received = '';
  valve.on('data', (bytes: Buffer) => { received += bytes.toString('latin1'); });
  return { client, accepted, valve: valve.pause(), received: () => received };
}

describe('the valve', { timeout: 60_000 }, () => {
  for (const [what, isReady, cost] of [
    ['short records', true, 15 * 1024],
    ['records of a handshake', false, TURN_COST / 2],
  ] as const) {
    test(`makes ${what} cost more than their bytes`, async (t) => {
      const turns = new Turns();
      const { mock } = t.mock.method(turns, 'spend');
      const { client, valve, received } = await startValve(t, isReady, turns);
      valve.resume();
      client.write(SHORT_RECORDS);
      await until(() => received().length === SHORT_RECORDS.length);
      assert.deepEqual(mock.calls.map(({ arguments: [spent] }) => spent), [cost, 512 + SHORT_RECORDS.length]);
    });
  }

  test('lets everything through in pieces of 16 KiB at most, in order', async (t) => {
    const { client, valve, received } = await startValve(t);
    const lengths: number[] = [];
    valve.on('data', ({ length }: Buffer) => lengths.push(length)).resume();
    const sent = Array.from({ length: 30_000 }, (_, i) => String(i)).join();
    client.write(sent);
    await until(() => received().length === sent.length);
    assert.equal(received(), sent);
    assert.ok(lengths.every((length) => length <= PIECE), lengths.join());
  });

  test('holds something while TLS has not asked for it, also before the handshake is over', async (t) => {
    const { client, accepted, valve } = await startValve(t, false);
    const send = async (): Promise<boolean> => {
      client.write(SHORT_RECORDS);
      await once(accepted, 'data');
      return valve.isHolding;
    };
    valve.resume();
    const asked = await send();
    valve.pause();
    assert.deepEqual([asked, await send(), await send()], [false, false, true]); // the stream itself has the second one
  });

  test('keeps a piece that nobody takes, and leaves the rest unread', async (t) => {
    const { client, accepted, valve, received } = await startValve(t);
    valve.resume().once('data', () => valve.pause());
    client.write(Buffer.alloc(4_000_000));
    await calm(t, () => accepted.bytesRead);
    assert.ok(valve.readableLength <= PIECE && accepted.bytesRead < 1_000_000, `${valve.readableLength} of ${accepted.bytesRead} bytes`);
    valve.resume();
    await until(() => received().length === 4_000_000);
  });

  test('lets nothing through while the client does not read what is written', async (t) => {
    const { client, accepted, valve, received } = await startValve(t);
    client.pause();
    let isTaken = false;
    valve.resume().write(Buffer.alloc(50_000_000), () => { isTaken = true; });
    client.write(Buffer.alloc(100_000));
    await calm(t, () => accepted.bytesRead);
    assert.deepEqual([received(), isTaken], ['', false]);
    client.resume();
    await until(() => received().length === 100_000);
    assert.equal(isTaken, true);
  });

  for (const [what, close] of [
    ['when it is destroyed', ({ valve }) => valve.destroy()],
    ['when the socket fails', ({ accepted }) => accepted.destroy(new Error('It failed.'))],
    ['when the client resets the connection', ({ client, valve }) => { valve.resume(); client.resetAndDestroy(); }],
  ] satisfies [string, (pair: Awaited<ReturnType<typeof startValve>>) => void][]) {
    test(`closes with the socket ${what}`, async (t) => {
      const pair = await startValve(t);
      const ends = Promise.all([closed(pair.valve), closed(pair.accepted)]);
      close(pair);
      await ends;
    });
  }
});
