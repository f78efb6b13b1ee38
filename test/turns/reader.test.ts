// What waits in a stopped stream. That reading stops at once is in node.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { HIGH_WATER_MARK, Reader } from '../../src/turns/reader.ts';
import { calm, until } from '../support/sockets.ts';
import { startEnds } from './start.ts';

const LONG = Array.from({ length: 40_000 }, (_, i) => `${i},`).join('');

test('at the end of its socket, it does not stop', async (t) => {
  const { client, accepted } = await startEnds(t, 'TCP');
  const ended = new Reader(accepted, () => {});
  client.end();
  await once(accepted, 'end');
  for (const reader of [ended, new Reader(new Socket().destroy(), () => {})]) {
    reader.stop(); // would throw
    assert.equal(reader.isStopped, false);
  }
});

test('records of a byte that wait in a stopped stream are joined, and no more is read', async (t) => {
  const [one, other] = [await startEnds(t, 'TLS'), await startEnds(t, 'TLS')];
  for (const byte of LONG.slice(0, 5_000)) await new Promise((resolve) => one.client.write(byte, resolve));
  let text = '';
  const take = () => { text += String(reader.take(reader.held.length)); };
  const reader = new Reader(one.accepted, () => {
    take();
    for (let i = 0; i < 2; i += 1) reader.stop(); // the second time changes nothing
  });
  await until(() => reader.isStopped);
  reader.readOn();
  take();
  await until(() => reader.isStopped); // in a read that brings the rest
  const { accepted: { readableLength }, raw: { bytesRead } } = one;
  const isOther = once(other.accepted, 'data');
  new Reader(other.accepted, () => {});
  other.client.write('x');
  await isOther;
  await calm(t, () => one.raw.bytesRead);
  const { readableLength: left } = one.accepted;
  assert.ok(readableLength > 4 * HIGH_WATER_MARK && left < 2 * HIGH_WATER_MARK, `${readableLength} ${left}`);
  assert.equal(one.raw.bytesRead, bytesRead);
  reader.readOn();
  assert.equal(reader.held.length, readableLength - HIGH_WATER_MARK);
  take();
  assert.ok(LONG.startsWith(text));
});
