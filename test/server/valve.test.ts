// The valve below TLS, without TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Valve } from '../../src/server/valve.ts';
import { countTurns } from '../support/turns.ts';
import { startPair } from '../support/socket-pair.ts';

const PIECE = 2048;

async function startValve(t: TestContext, isReady = true) {
  const { client, accepted } = await startPair(t, { highWaterMark: 0 });
  const valve = new Valve(accepted).on('error', () => {});
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
  test('before the handshake is over, lets pieces through in turn, as long reads, because the handshake costs most', async (t) => {
    const valves = await Promise.all(Array.from({ length: 5 }, () => startValve(t, false)));
    const turns = countTurns(t);
    for (const piece of ['x', 'y', 'z']) {
      const turnsOfData = valves.map(({ valve }) => once(valve, 'data').then(turns));
      for (const { client } of valves) client.write(piece); // the kernel has all of them before the next turn
      const seen = await Promise.all(turnsOfData);
      assert.equal(new Set(seen).size, valves.length, seen.join());
    }
  });

  test('has no turn when it has closed, so others have theirs soon', async (t) => {
    const valves = await Promise.all(Array.from({ length: 20 }, () => startValve(t, false)));
    const last = await startValve(t, false);
    for (const { client } of [...valves, last]) client.write('x'); // the kernel has all of them before the next turn
    await once(last.accepted, 'pause');
    const closed = Promise.all(valves.map(({ accepted }) => once(accepted, 'close')));
    for (const { accepted } of valves) accepted.destroy();
    let passed = 0;
    last.valve.on('data', () => (passed += 1));
    await closed;
    for (let turns = 0; turns < 3; turns += 1) await turn();
    assert.equal(passed, 1);
  });

  test('lets a small read through as it comes, and more in pieces, at most one of each in a turn', async (t) => {
    const { client, valve } = await startValve(t);
    const turns = countTurns(t);
    const pieces: { readonly length: number; readonly turn: number }[] = [];
    let received = '';
    valve.on('data', (bytes: Buffer) => {
      pieces.push({ length: bytes.length, turn: turns() });
      received += bytes.toString('latin1');
    });
    const sent = Array.from({ length: 30_000 }, (_, i) => String(i)).join();
    client.write(sent);
    while (received.length < sent.length) await turn();
    assert.equal(received, sent);
    assert.ok(pieces.every(({ length }) => length <= PIECE));
    for (const piece of pieces) assert.ok(pieces.filter((other) => other.turn === piece.turn).length <= 2);
  });

  test('lets fewer pieces through in a turn when they are longer, because more records can be in them', async (t) => {
    const valves = await Promise.all(Array.from({ length: 20 }, () => startValve(t)));
    const turns = countTurns(t);
    const turnsOfData = valves.map(({ valve }) => once(valve, 'data').then(turns));
    for (const { client } of valves) client.write(Buffer.alloc(PIECE)); // the kernel has all of them before the next turn
    const seen = await Promise.all(turnsOfData);
    for (const turnOf of seen) assert.ok(seen.filter((other) => other === turnOf).length <= 8, seen.join());
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
