// When a reply is written. What becomes of replies and errors of every kind is in server.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../../src/http/answer.ts';
import { emptyReply, type Reply } from '../../src/http/reply.ts';
import { HttpRequest } from '../../src/http/request.ts';

test('a reply that is no promise is written at once', () => {
  const request = new HttpRequest({ method: 'GET', path: '/a', query: 'b', host: 'a', headers: {} });
  const written: Reply[] = [];
  answer(() => emptyReply(200), request, (reply) => written.push(reply), () => {});
  assert.deepEqual(written, [emptyReply(200)]);
});
