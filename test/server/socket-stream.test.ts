import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SocketStream } from '../../src/server/socket-stream.ts';
import { startPair } from '../support/socket-pair.ts';

class CountingStream extends SocketStream {
  left = 0;

  protected override replyLeft(): void {
    this.left += 1;
  }

  override _read(): void {}
}

test('each chunk is a reply, which leaves once; the empty chunk that Node 20 and 22 write behind it is none', { timeout: 20_000 }, async (t) => {
  const { client, accepted } = await startPair(t);
  const stream = new CountingStream(accepted);
  stream.write('x');
  stream.write('');
  assert.equal(stream.left, 1);

  stream.write(Buffer.alloc(50_000_000));
  stream.write('');
  assert.ok(accepted.writableLength > 0);
  assert.equal(stream.left, 1);
  client.resume();
  await new Promise((resolve) => stream.write('', resolve));
  assert.equal(stream.left, 2);
});
