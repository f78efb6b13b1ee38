// Reading stops at once, goes on, and loses nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Tap } from '../../src/turns/tap.ts';
import { calm, until } from '../support/sockets.ts';
import { startEnds } from './start.ts';

const LONG = Array.from({ length: 40_000 }, (_, i) => `${i},`).join('');

for (const [over, options] of [
  ['TCP', { highWaterMark: 1 }], ['TCP', { highWaterMark: 200_000 }], ['TCP', {}], ['TLS', {}],
] as const) {
  test(`over ${over} ${JSON.stringify(options)}, it stops at once, and all arrives in order`, async (t) => {
    const { client, accepted, raw } = await startEnds(t, over, options);
    let text = '';
    let read = 0;
    const tap = new Tap(accepted, (bytes) => {
      assert.equal(tap.isStopped, false);
      text += String(bytes);
      for (let i = 0; i < 2; i += 1) tap.stop(); // the second time changes nothing
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
    for (const each of [tap, new Tap(new Socket().destroy(), () => {})]) {
      each.stop();
      assert.equal(each.isStopped, false, 'at the end, nothing stops');
    }
  });
}
