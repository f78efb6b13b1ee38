import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { replyBytes } from '../../src/http/node-http.ts';
import { contentReply, emptyReply } from '../../src/http/reply.ts';
import { startService } from '../support/service.ts';
import { exchange } from '../support/wire.ts';

function dateOf(bytes: string): string | undefined {
  return /^Date: (.*)\r$/m.exec(bytes)?.[1];
}

test('the date is that of the second', (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.UTC(2026, 10, 20, 10, 15, 30, 123) });
  const dates = [0, 876, 1, 999, 1, 5000].map((ms) => {
    t.mock.timers.tick(ms);
    return dateOf(replyBytes(emptyReply(404), false))?.slice(-12);
  });
  assert.deepEqual(dates, ['10:15:30 GMT', '10:15:30 GMT', '10:15:31 GMT', '10:15:31 GMT', '10:15:32 GMT', '10:15:37 GMT']);
  assert.equal(dateOf(replyBytes(emptyReply(404), true)), 'Fri, 20 Nov 2026 10:15:37 GMT');
  t.mock.timers.tick(1000);
});

test('a reply goes out as its head, the date, what becomes of the connection, and its content', () => {
  const date = dateOf(replyBytes(emptyReply(404), false));
  assert.equal(replyBytes(emptyReply(404), true), `HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nDate: ${date}\r\nConnection: close\r\n\r\n`);
  assert.equal(
    replyBytes(contentReply(200, 'text/plain', 'Zoë'), false),
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nCache-Control: no-store\r\n' +
      `X-Content-Type-Options: nosniff\r\nDate: ${date}\r\nConnection: keep-alive\r\n\r\nZo\u00c3\u00ab`,
  );
});

test('node gets the header fields that it reads itself, and no object is built for requests without them', async (t) => {
  const { port, server } = await startService(t);
  for (const [fields, headers] of [
    ['X: y', {}],
    ['Content-Length: 0', {}],
    ['Content-Length: 1\r\nX: y', { host: 'a', connection: 'close', 'content-length': '1', x: 'y' }],
    ['Expect: 100-continue', { host: 'a', connection: 'close', expect: '100-continue' }],
    ['Transfer-Encoding: chunked', { host: 'a', connection: 'close', 'transfer-encoding': 'chunked' }],
  ] as const) {
    const requested = Promise.race([once(server, 'request'), once(server, 'checkContinue')]);
    const exchanged = exchange(port, `GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n\r\n0\r\n\r\n`);
    const [message] = await requested;
    assert.deepEqual({ ...message.headers }, headers);
    assert.equal((await exchanged).replies[0]?.status, 200);
  }
});
