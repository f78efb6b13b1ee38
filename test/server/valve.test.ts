// The valve below TLS, without TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Turns } from '../../src/server/turns.ts';
import { Valve } from '../../src/server/valve.ts';
import { countTurns } from '../support/turns.ts';
import { startPair } from '../support/socket-pair.ts';

const PIECE = 16 * 1024;
const SHORT_RECORDS = Buffer.from('170303000100'.repeat(15), 'hex');

async function startValve(t: TestContext, isReady = true, turns = new Turns()) {
  const { client, accepted } = await startPair(t, { highWaterMark: 0 });
  const valve = new Valve(accepted, 'a', turns).on('error', () => {});
  valve.isReady = isReady;
  return { client, accepted, valve };
}

/** Waits until `value` has been the same for many turns. */
async function calm(value: () => number): Promise<number> {
  let before = value();
  for (let same = 0; same < 50; same += 1) {
    await turn();
    if (value() !== before) same = 0;
    before = value();
  }
  return before;
}

describe('the valve', { timeout: 20_000 }, () => {
  for (const [what, isReady, mostInATurn] of [['of a handshake', false, 2], ['of 15 short records', true, 5]] as const) {
    test(`lets at most ${mostInATurn} pieces ${what} through in a turn`, async (t) => {
      const turns = new Turns();
      const valves = await Promise.all(Array.from({ length: 20 }, () => startValve(t, isReady, turns)));
      const count = countTurns(t);
      const turnsOfData = valves.map(({ valve }) => once(valve, 'data').then(count));
      for (const { client } of valves) client.write(SHORT_RECORDS); // the kernel has all of them before the next turn
      const seen = await Promise.all(turnsOfData);
      for (const turnOf of seen) assert.ok(seen.filter((other) => other === turnOf).length <= mostInATurn, seen.join());
    });
  }

  test('has no turn when it has closed, so others have theirs soon', async (t) => {
    const turns = new Turns();
    const { valve, client, accepted } = await startValve(t, true, turns);
    valve.pause();
    client.write(Buffer.alloc(3_000));
    await once(accepted, 'pause');
    valve.resume();
    assert.equal(turns.isFree, true);
    await new Promise(process.nextTick);
    assert.equal(turns.isFree, false, 'it waits for its turn');
    valve.destroy();
    await new Promise((resolve) => accepted.once('close', resolve));
    assert.equal(turns.isFree, true);
  });

  test('lets everything through in pieces of 16 KiB at most, in order', async (t) => {
    const { client, valve } = await startValve(t);
    const lengths: number[] = [];
    let received = '';
    valve.on('data', (bytes: Buffer) => {
      lengths.push(bytes.length);
      received += bytes.toString('latin1');
    });
    const sent = Array.from({ length: 30_000 }, (_, i) => String(i)).join();
    client.write(sent);
    while (received.length < sent.length) await turn();
    assert.equal(received, sent);
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
    const { client, accepted, valve } = await startValve(t);
    valve.once('data', () => valve.pause());
    client.write(Buffer.alloc(4_000_000));
    const read = await calm(() => accepted.bytesRead);
    assert.ok(valve.readableLength <= PIECE && read < 1_000_000, `${valve.readableLength} of ${read} bytes`);
    let taken = 0;
    valve.on('data', (bytes: Buffer) => (taken += bytes.length)).resume();
    while (taken < 4_000_000 - PIECE) await turn();
  });

  test('lets nothing through while the client does not read what is written', async (t) => {
    const { client, accepted, valve } = await startValve(t);
    client.pause();
    let passed = 0;
    valve.on('data', (bytes: Buffer) => (passed += bytes.length));
    let isTaken = false;
    valve.write(Buffer.alloc(50_000_000), () => { isTaken = true; });
    client.write(Buffer.alloc(100_000));
    await calm(() => accepted.bytesRead);
    assert.deepEqual([passed, isTaken], [0, false]);
    client.resume();
    while (passed < 100_000) await turn();
    assert.equal(isTaken, true);
  });

  test('is half open: a side can be ended while the other goes on', async (t) => {
    const { client, valve } = await startValve(t);
    valve.resume();
    client.end('x');
    await once(valve, 'end');
    valve.write('still ');
    valve.end('here');
    let received = '';
    for await (const bytes of client) received += String(bytes);
    assert.equal(received, 'still here');
    if (!valve.closed) await once(valve, 'close');
  });

  test('ends the side of the socket with its own, while that of the client is open', async (t) => {
    const { client, valve } = await startValve(t);
    valve.resume();
    valve.end('x');
    await once(client.resume(), 'end');
    assert.equal(valve.readableEnded, false);
  });

  for (const [what, close] of [
    ['when it is destroyed', ({ valve }) => valve.destroy()],
    ['when the socket is destroyed', ({ accepted }) => accepted.destroy()],
    ['when the socket fails', ({ accepted }) => accepted.destroy(new Error('It failed.'))],
    ['when the client resets the connection', ({ client }) => client.resetAndDestroy()],
  ] satisfies [string, (pair: Awaited<ReturnType<typeof startValve>>) => void][]) {
    test(`closes with the socket ${what}`, async (t) => {
      const pair = await startValve(t);
      pair.valve.resume();
      const closed = Promise.all([once(pair.valve, 'close'), new Promise((resolve) => pair.accepted.once('close', resolve))]);
      close(pair);
      await closed;
    });
  }
});
