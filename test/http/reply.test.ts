import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentReply, emptyReply } from '../../src/http/reply.ts';

test('content is counted and sent in bytes of UTF-8, whatever the characters', () => {
  for (const content of ['', 'Ada', 'Zoë', '日本', '👩‍🚀', '\u0000\ud800']) {
    const { headers, body } = contentReply(200, 'text/plain', content);
    assert.deepEqual(Buffer.from(body, 'latin1'), Buffer.from(content));
    assert.equal(/^Content-Length: (\d+)\r$/m.exec(headers)?.[1], String(Buffer.byteLength(content)));
  }
});

test('a reply without content says so, after the field lines of its own', () => {
  assert.deepEqual(emptyReply(405, 'Allow: GET\r\n'), {
    status: 405, headers: 'Allow: GET\r\nContent-Length: 0\r\n', body: '',
  });
});
