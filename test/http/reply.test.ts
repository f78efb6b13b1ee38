import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentReply, emptyReply, fieldLine } from '../../src/http/reply.ts';

test('content is counted and sent in bytes of UTF-8, whatever the characters', () => {
  for (const content of ['', 'Ada', 'Zoë', '日本', '👩‍🚀', '\u0000\ud800']) {
    const { head, body } = contentReply(200, 'text/plain', content);
    assert.deepEqual(Buffer.from(body, 'latin1'), Buffer.from(content));
    assert.equal(/^Content-Length: (\d+)\r$/m.exec(head)?.[1], String(Buffer.byteLength(content)));
  }
});

test('a reply without content says so, after the field lines of its own', () => {
  assert.deepEqual(emptyReply(405, fieldLine('Allow', 'GET')), {
    status: 405, head: 'HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\n', body: '',
  });
});

test('a field line holds one line, and nothing that could end it', () => {
  assert.equal(fieldLine('Location', 'https://a/'), 'Location: https://a/\r\n');
  for (const value of ['a\r\nSet-Cookie: b', 'a\nb', 'a\rb', 'a\0', 'ä\u0100']) {
    assert.throws(() => fieldLine('Location', value), { code: 'ERR_INVALID_CHAR' });
  }
});
