// What the servers of an app have in common: a listener that redirects holds requests to the same rules as one that answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startService } from './support/service.ts';
import { exchange } from './support/exchange.ts';

test('a request for https is refused where no TLS is, also of an allowed host, and also in HTTP/1.0 without a Host', async (t) => {
  const { port, refusals } = await startService(t, { allowedHosts: ['a'] });
  const asked = [
    ['GET https://a/health HTTP/1.1\r\nHost: a', 421], ['GET https://a/health HTTP/1.0', 421], ['GET http://b/health HTTP/1.0', 421],
    ['GET http://a/health HTTP/1.0', 200],
  ] as const;
  for (const [head, status] of asked) {
    const { replies, ended } = await exchange(port, `${head}\r\nConnection: close\r\n\r\n`);
    assert.deepEqual([replies.map((reply) => reply.status), ended], [[status], true], head);
  }
  assert.deepEqual(refusals, [421, 421, 421]);
});

test('a listener that redirects refuses what another one refuses, and what it redirects is counted by none', async (t) => {
  const { port, refusals } = await startService(t, { allowedHosts: ['a'], server: (app) => app.createRedirectServer(8443) });
  for (const [line, host, statusLine, field] of [
    ['GET /health?b', 'a:80', '307 Temporary Redirect', ['Location: https://a:8443/health?b']],
    ['GET https://A/health', 'a', '307 Temporary Redirect', ['Location: https://a:8443/health']],
    ['GET /health', 'b', '421 Misdirected Request', []],
    ['GET /health', 'a/', '400 Bad Request', []],
    ['CONNECT a:80', 'a', '501 Not Implemented', []],
  ] as const) {
    assert.deepEqual(await exchange(port, `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`), {
      replies: [{
        statusLine: `HTTP/1.1 ${statusLine}`,
        status: Number.parseInt(statusLine, 10),
        headers: [...field, 'Content-Length: 0', 'Date: now', 'Connection: close'],
        body: '',
      }],
      ended: true,
    }, line);
  }
  const { replies } = await exchange(port, 'GET http://a:80/health HTTP/1.0\r\n\r\n');
  assert.deepEqual(replies.map(({ headers }) => headers[0]), ['Location: https://a:8443/health'], 'without Host the target names it');
  assert.deepEqual(refusals, [421, 400, 501]);
});

test('all servers of an app close together', async (t) => {
  const { app, port } = await startService(t);
  const other = app.createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(other, 'listening');
  await app.close();
  assert.equal(other.listening, false);
  await assert.rejects(exchange(port, ''), { code: 'ECONNREFUSED' });
});
