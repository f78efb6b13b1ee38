import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startService } from '../support/service.ts';
import { exchange } from '../support/wire.ts';

test('node gets the header fields that it reads itself, and no object is built for requests without them', async (t) => {
  const { port, server } = await startService(t);
  for (const [fields, headers] of [
    ['X: y', {}],
    ['Content-Length: 0', {}],
    ['Content-Length: 1\r\nX: y', { host: 'a', connection: 'close', 'content-length': '1', x: 'y' }],
    ['Transfer-Encoding: chunked', { host: 'a', connection: 'close', 'transfer-encoding': 'chunked' }],
  ] as const) {
    const requested = once(server, 'request');
    const exchanged = exchange(port, `GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n\r\n0\r\n\r\n`);
    const [message] = await requested;
    assert.deepEqual({ ...message.headers }, headers);
    assert.equal((await exchanged).replies[0]?.status, 200);
  }
});
