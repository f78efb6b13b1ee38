// When a reply is written. What becomes of handlers, replies and errors of every kind is in handlers.test.ts and
// server.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Handling } from '../src/handling.ts';
import { emptyReply, type Reply } from '../src/http/reply.ts';
import { HttpRequest } from '../src/http/request.ts';

test('a reply that is no promise is written at once', () => {
  const request = new HttpRequest({ method: 'GET', path: '/a', query: 'b', host: 'a', headers: {} });
  const written: Reply[] = [];
  const caller = { write: (reply: Reply) => written.push(reply), handlerFailed: () => assert.fail() };
  new Handling(request, { handler: () => emptyReply(200) }, caller).start(() => '');
  assert.deepEqual(written, [emptyReply(200)]);
});
