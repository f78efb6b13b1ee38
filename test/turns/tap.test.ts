// Reading stops at once, goes on, and loses nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Tap } from '../../src/turns/tap.ts';
import { calm, until } from '../support/sockets.ts';
import { startEnds, TRANSPORTS } from './start.ts';

const limit = { timeout: 60_000 };
const LONG = Array.from({ length: 40_000 }, (_, i) => `${i},`).join('');

for (const [over, options] of [
  ['TCP', { highWaterMark: 1 }], ['TCP', { highWaterMark: 200_000 }], ['TCP', {}], ['TLS', {}],
] as const) {
  test(`over ${over} ${JSON.stringify(options)}, it stops at once, and all arrives in order`, limit, async (t) => {
    const { client, accepted, raw } = await startEnds(t, over, options);
    let text = '';
    let read = 0;
    const tap = new Tap(accepted, (bytes) => {
      assert.equal(tap.isStopped, false);
      text += String(bytes);
      tap.stop();
      read = raw.bytesRead;
    });
    client.end(LONG);
    await until(() => read > 0);
    await calm(t, () => raw.bytesRead);
    assert.equal(raw.bytesRead, read, 'nothing was read');
    const isOver = once(accepted, 'end');
    while (text.length < LONG.length) {
      text += String(tap.readOn());
      await until(() => tap.isStopped || text.length === LONG.length);
    }
    assert.deepEqual([text === LONG, String(tap.readOn())], [true, '']);
    await isOver;
  });
}

for (const over of TRANSPORTS) {
  test(`over ${over}, when it is stopped elsewhere, what one more read brings waits; at the end nothing can`, limit,
    async (t) => {
      const { client, accepted } = await startEnds(t, over);
      const tap = new Tap(accepted.on('error', assert.fail), () => {});
      assert.equal(String(tap.readOn()), '', 'it is open');
      for (const word of ['one', 'two']) {
        for (let i = 0; i < 2; i += 1) tap.stop();
        client.write(word);
        await until(() => accepted.readableLength === accepted.readableHighWaterMark + word.length);
        assert.deepEqual([tap.isStopped, String(tap.readOn()), tap.isStopped], [true, word, false]);
      }
      client.end();
      await once(accepted, 'end');
      const other = await startEnds(t, over);
      const destroyed = new Tap(other.accepted.on('error', assert.fail).destroy(), () => {});
      for (const each of [tap, destroyed]) {
        each.stop();
        assert.equal(each.isStopped, false);
      }
    });
}
