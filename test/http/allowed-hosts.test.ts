import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostCheck } from '../../src/http/allowed-hosts.ts';
import { startService } from '../support/service.ts';
import { exchange } from '../support/wire.ts';

const allowedHosts = ['Example.com', 'my_service', '10.0.0.1', '0:0:0:0:0:0:0:1', '2001:db8::7f'];
const isAllowed = hostCheck(allowedHosts);

for (const host of ['example.com', 'EXAMPLE.COM:8080', 'my_service:80', '10.0.0.1', '[::1]', '[::1]:8080', '[0::0:1]', '[2001:DB8:0::7F]:80']) {
  test(`Host ${host} is answered when its name is allowed`, async (t) => {
    assert.equal(isAllowed(host), true);
    const { port, refusals } = await startService(t, { allowedHosts });
    const { replies } = await exchange(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.deepEqual([replies.map((reply) => reply.status), refusals], [[200], []]);
  });
}

for (const host of [
  'localhost', 'www.example.com', 'example.com.', 'example.com.evil.example', 'my-service', '10.0.0.2', '10.1', '0xa.1', '012.0.0.1', '167772161', 'example%2ecom', '[::2]', '[::ffff:10.0.0.1]', '[2001:db8::7e]',
]) {
  test(`Host ${host} gets 421, and the connection is closed`, async (t) => {
    assert.equal(isAllowed(host), false);
    const { port, refusals } = await startService(t, { allowedHosts });
    const exchanged = await exchange(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assert.deepEqual(exchanged, {
      replies: [{ statusLine: 'HTTP/1.1 421 Misdirected Request', status: 421, headers: ['Content-Length: 0', 'Date: now', 'Connection: close'], body: '' }],
      ended: true,
    });
    assert.deepEqual(refusals, [421]);
  });
}

test('a request without a Host has no allowed one', async (t) => {
  assert.equal(isAllowed(undefined), false);
  const { port } = await startService(t, { allowedHosts });
  const { replies } = await exchange(port, 'GET /health HTTP/1.0\r\n\r\n');
  assert.deepEqual(replies.map((reply) => reply.status), [421]);
});

test('where no name is allowed, nothing is answered', () => {
  for (const host of [undefined, 'a', '[::1]']) assert.equal(hostCheck([])(host), false);
});

test('CONNECT and unknown methods are held to the same names', async (t) => {
  const { port } = await startService(t, { allowedHosts });
  for (const line of ['CONNECT a:80', 'BREW /health', 'BREW http://a:80/health']) {
    const { replies } = await exchange(port, `${line} HTTP/1.1\r\nHost: a:80\r\n\r\n`);
    assert.deepEqual(replies.map((reply) => reply.status), [421], line);
  }
});
