import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentReply, emptyReply } from '../../src/http/reply.ts';

test('a reply with content says its type and its length in bytes of UTF-8, and is neither stored nor sniffed', () => {
  for (const [body, length] of [['', '0'], ['Ada', '3'], ['Zoë', '4'], ['日本', '6'], ['👩‍🚀', '11'], ['\0\ud800', '4']] as const) {
    assert.deepEqual(contentReply(503, 'text/plain', body), {
      status: 503,
      fields: ['Content-Type', 'text/plain', 'Content-Length', length, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
      body,
    });
  }
});

test('a reply without content says so, after the fields of its own', () => {
  assert.deepEqual(emptyReply(404), { status: 404, fields: ['Content-Length', '0'], body: '' });
  assert.deepEqual(emptyReply(405, ['Allow', 'GET']), { status: 405, fields: ['Allow', 'GET', 'Content-Length', '0'], body: '' });
});
