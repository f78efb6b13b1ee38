// Which headers a reply has. What replies of the service say, to the byte, is in the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentReply, emptyReply, headersOf } from '../../src/http/reply.ts';

test('the headers of a reply are its own, the length of its body in bytes, and whether it is the last', () => {
  const headers = { a: 'b', 'Set-Cookie': ['c', 'd'], Update: 'e', 'X-Date': 'f', 'Content-Length-Of': 'g' };
  for (const [status, body, isLast, added] of [
    [200, 'ü', false, { 'Content-Length': 2 }],
    [999, Buffer.alloc(3), true, { 'Content-Length': 3, Connection: 'close' }],
    [204, '', false, {}], [304, '', true, { Connection: 'close' }],
  ] as const) assert.deepEqual(headersOf({ status, headers, body }, isLast), { ...headers, ...added });
  assert.equal(headersOf(contentReply(200, 'image/png', Buffer.alloc(3)), false)['Content-Length'], 3);
});

test('a reply has a final status, a body of text or bytes, and no header that is the server\'s', () => {
  const [withNumber, withNull, missing] = JSON.parse('[{ "body": 1 }, { "body": null }, {}]'); // what tsc would refuse
  const late = [{ a: ['b', 'ł'] }, { a: undefined }, { a: [missing.value] }, { ł: 'a' }]; // Node checks too late
  const withoutContent = late.map((headers) => ({ status: 204, headers }));
  const statuses = [199, 1000, 2 ** 32 + 100, 204.9].map((status) => ({ status }));
  for (const illegal of [...statuses, withNumber, withNull, ...withoutContent]) {
    const reply = { ...emptyReply(200), ...illegal };
    assert.throws(() => headersOf(reply, false), /Error.*: (?:A handler|The body|Invalid|Header name)/);
  }
  const forgotten = new TypeError('A handler must return a reply, but this is undefined.');
  assert.throws(() => headersOf(missing.value, false), forgotten);
  for (const name of ['Connection', 'content-length', 'DATE', 'Keep-Alive', 'Trailer', 'Transfer-Encoding']) {
    const error = new TypeError(`A handler must not set ${name}: that is the server's.`);
    assert.throws(() => headersOf(emptyReply(200, { a: 'b', [name]: 'c' }), false), error);
  }
});
