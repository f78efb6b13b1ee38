// How a client begins TLS, in whatever pieces, and when its handshake starts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { HelloReader } from '../../src/turns/client-hello.ts';
import { closed, until } from '../support/sockets.ts';
import { start, startTurns } from './start.ts';

const MAX = 64 * 1024;

const record = (content: Uint8Array, type = 22) =>
  Buffer.concat([Buffer.of(type, 3, 1, content.length >> 8, content.length & 0xff), content]);

/** The first record of a client. */
async function firstRecord(): Promise<Buffer> {
  const [below, other] = duplexPair();
  connect({ socket: below }).on('error', () => {});
  const [bytes] = await once(other, 'data');
  return bytes;
}

const hello = await firstRecord();
const message = hello.subarray(5);
/** The message in records whose contents have these lengths, the last of which is used again and again. */
function inRecords(...sizes: readonly number[]): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < message.length;) {
    const end = at + (sizes[records.length] ?? sizes.at(-1) ?? 0);
    records.push(record(message.subarray(at, end)));
    at = end;
  }
  return Buffer.concat(records);
}
const WAYS = [hello, inRecords(1), inRecords(1, 2, 1_000), inRecords(4, 1), record(Buffer.concat([message, message]))];

test('a ClientHello is whole with the last byte of its last record, however it is split', () => {
  for (const bytes of WAYS) {
    for (const size of [1, 2, 7, bytes.length - 1, bytes.length]) {
      const reader = new HelloReader();
      for (let at = 0; at < bytes.length; at += size) {
        const expected = at + size < bytes.length ? 'incomplete' : 'whole';
        assert.equal(reader.read(bytes.subarray(at, at + size)), expected);
      }
    }
  }
});

test('what is no ClientHello, or longer than 64 KiB, is illegal as soon as that can be seen', () => {
  const long = Buffer.concat([record(Buffer.of(1, 1, 0, 0)), ...Array<Buffer>(4).fill(record(Buffer.alloc(16_379)))]);
  for (const [bytes, legal] of [
    [Buffer.from('GET / HTTP/1.1\r\n'), 0], [record(Buffer.of(2, 40), 21), 0], [Buffer.of(0x80, 0x2e, 1, 3, 3), 0],
    [record(Buffer.of()), 4], [Buffer.concat([record(Buffer.of(1)), record(Buffer.of(1), 20)]), 6],
    [record(Buffer.of(2, 0, 0, 1, 0)), 8], [Buffer.concat([long, hello]), MAX],
  ] as const) {
    const reader = new HelloReader();
    assert.equal(reader.read(bytes.subarray(0, legal)), 'incomplete');
    assert.equal(reader.read(bytes.subarray(legal, legal + 1)), 'illegal');
  }
});

test('a handshake waits for its turn when the ClientHello is whole, in however many packets', async (t) => {
  const { turns, hold, turn } = startTurns();
  const { dial } = await start(t, () => {}, 'TLS', { turns });
  for (const [bytes, size] of [[hello, 1], [inRecords(1), 500]] as const) {
    const { below, raw } = await dial();
    hold();
    for (let at = 0; at < bytes.length; at += size) {
      below.write(bytes.subarray(at, at + size));
      await until(() => raw.bytesRead > at);
      assert.equal(raw.bytesWritten, 0);
      turn();
    }
    await until(() => {
      turn();
      return raw.bytesWritten > 0;
    });
  }
});

test('what cannot become a ClientHello ends at once, as does a client that leaves', async (t) => {
  const failed = t.mock.fn();
  const { dial } = await start(t, () => {}, 'TLS', { failed });
  for (const end of [hello.subarray(0, 1), hello.subarray(0, 100), Buffer.of()]) {
    const { below, raw } = await dial();
    below.end(end);
    await closed(raw);
  }
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n'), Buffer.alloc(MAX + 1, record(Buffer.alloc(100, 1)))]) {
    const { below, raw } = await dial();
    below.write(bytes);
    await closed(raw);
  }
  const { below, raw } = await dial();
  below.write(hello.subarray(0, 100));
  await until(() => raw.bytesRead === 100);
  below.resetAndDestroy();
  await closed(raw);
  assert.deepEqual(failed.mock.calls.map(({ arguments: [reason] }) => reason), Array(6).fill('tlsFailed'));
});
