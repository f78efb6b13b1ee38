// How the content of a request is gathered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { put } from '../../src/server/content.ts';

test('parts of one byte make one buffer, which is seldom copied', () => {
  const text = 'content. '.repeat(7_000);
  const buffers = new Set<Buffer>();
  let content: Buffer = Buffer.alloc(0);
  for (let at = 0; at < text.length; at += 1) {
    content = put(Buffer.from(text.charAt(at)), content, at, 64_000);
    buffers.add(content);
  }
  assert.equal(content.toString('latin1', 0, text.length), text);
  assert.deepEqual([buffers.size, content.length], [15, 64_000]);
});
