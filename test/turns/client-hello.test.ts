// How a client begins TLS, in whatever pieces.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { readHello } from '../../src/turns/client-hello.ts';
import { clientHello } from '../support/certificates.ts';
import { closed } from '../support/sockets.ts';
import { FORGED, start } from './start.ts';

const record = (content: Uint8Array, type = 22) =>
  Buffer.concat([Buffer.of(type, 3, 1, content.length >> 8, content.length & 0xff), content]);

const hello = await clientHello();
const message = hello.subarray(5);
const half = message.length / 2;
const split = (...ends: readonly number[]) =>
  Buffer.concat(ends.map((end, i) => record(message.subarray(ends[i - 1] ?? 0, end))));
const tooLong = record(Buffer.concat([Buffer.of(1, 1, 0, 0), Buffer.alloc(16_384)]));
const inRecords = (count: number) => split(...Array.from({ length: count - 1 }, (_, i) => i + 1), message.length);

test('a ClientHello is whole with the last byte of its last record, however it is split', () => {
  const more = record(Buffer.concat([message, message]));
  for (const bytes of [hello, inRecords(64), split(half, message.length), split(3, half, message.length), more]) {
    for (let length = 0; length < bytes.length; length += 1) {
      assert.equal(readHello(bytes.subarray(0, length)), 'incomplete');
    }
    assert.deepEqual(readHello(bytes), { length: 0 });
  }
});

test('what is no ClientHello is known at once', () => {
  const begun = record(Buffer.of(1));
  for (const bytes of [
    Buffer.from('G'), record(Buffer.of(2, 40), 21), Buffer.of(0x80, 0x2e, 1), record(Buffer.of()),
    record(Buffer.of(2, 0, 0, 1)), Buffer.concat([begun, record(Buffer.of())]), Buffer.concat([begun, Buffer.of(20)]),
    inRecords(65), tooLong.subarray(0, 16_384),
  ]) assert.equal(readHello(bytes), undefined);
});

test('a client that leaves before its ClientHello is whole, or sends none, fails; records get an alert', async (t) => {
  const { dial, reasons } = await start(t, () => {}, 'TLS');
  const begun = hello.subarray(0, 100);
  const sends = (bytes: string | Buffer) => (below: Socket) => below.write(bytes);
  const ALERT = '1503030002020a'; // fatal, unexpected_message: as from bare Node
  for (const [act, alert] of [
    [(below: Socket) => below.end(), ''], [(below: Socket) => below.end(begun), ''],
    [(below: Socket) => below.write(begun, () => below.resetAndDestroy()), ''], [sends('GET /'), ''],
    [sends(record(Buffer.of(2))), ALERT], [sends(tooLong), ALERT], [sends(Buffer.concat([hello, FORGED])), ''],
  ] as const) {
    const { below, raw } = await dial();
    let reply = '';
    t.mock.method(raw, 'write', (bytes: Buffer) => { reply = bytes.toString('hex'); });
    act(below);
    await closed(raw);
    assert.deepEqual({ reply, reasons: reasons.splice(0) }, { reply: alert, reasons: ['tlsFailed'] });
  }
});
