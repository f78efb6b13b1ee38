import assert from 'node:assert/strict';
import { validateHeaderValue } from 'node:http';
import { test } from 'node:test';
import { redirectToHttps } from '../../src/http/redirect.ts';
import { emptyReply } from '../../src/http/reply.ts';
import { startService } from '../support/service.ts';
import { exchange, request } from '../support/wire.ts';

const raw = (method: string, target: string, host: string) => `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

const redirects: readonly (readonly [port: number, method: string, target: string, host: string, location: string])[] = [
  [8443, 'GET', '/health', 'example.com', 'https://example.com:8443/health'],
  [8443, 'GET', '/api/greetings?name=Ada&x=%20', 'example.com:8080', 'https://example.com:8443/api/greetings?name=Ada&x=%20'],
  [443, 'GET', '/?', 'example.com:80', 'https://example.com/'],
  [443, 'POST', '/nope', '127.0.0.1', 'https://127.0.0.1/nope'],
  [443, 'GET', '/openapi/v1.json', '[::1]:8080', 'https://[::1]/openapi/v1.json'],
  [8443, 'GET', '/health', '[::1]', 'https://[::1]:8443/health'],
  [8443, 'GET', 'http://example.com/health?a', 'example.com', 'https://example.com:8443/health?a'],
  [8443, 'OPTIONS', '*', 'example.com', 'https://example.com:8443'],
  [8443, 'GET', '//evil.example/', 'example.com', 'https://example.com:8443//evil.example/'],
  [8443, 'BREW', '/health?a', 'example.com', 'https://example.com:8443/health?a'],
];
for (const [port, method, target, host, location] of redirects) {
  test(`with HTTPS on port ${port}, ${method} ${target} of ${host} is redirected to ${location}`, async (t) => {
    const service = await startService(t, { server: (app) => app.createRedirectServer(port) });
    const { replies, ended } = await exchange(service.port, raw(method, target, host));
    assert.deepEqual(replies, [{
      statusLine: 'HTTP/1.1 307 Temporary Redirect',
      status: 307,
      headers: [`Location: ${location}`, 'Content-Length: 0', 'Date: now', 'Connection: close'],
      body: '',
    }]);
    assert.ok(ended);
    assert.deepEqual(service.refusals, []);
  });
}

test('an illegal Host is never reflected', async (t) => {
  const { port } = await startService(t, { server: (app) => app.createRedirectServer(443) });
  for (const host of ['evil.example/', 'user@evil.example', 'a\tb', 'a,b', '']) {
    for (const method of ['GET', 'BREW']) {
      const { replies } = await exchange(port, raw(method, '/health', host));
      assert.deepEqual(replies.map((reply) => [reply.status, reply.headers]), [[400, ['Content-Length: 0', 'Date: now', 'Connection: close']]]);
    }
  }
});

test('a Host that is not allowed is refused, not redirected', async (t) => {
  const { port } = await startService(t, { allowedHosts: ['example.com'], server: (app) => app.createRedirectServer(443) });
  for (const method of ['GET', 'BREW']) assert.equal((await request(port, method, '/health')).status, 421);
});

test('without a Host there is nowhere to redirect to', async (t) => {
  const { port } = await startService(t, { server: (app) => app.createRedirectServer(443) });
  const { replies } = await exchange(port, 'GET /health HTTP/1.0\r\n\r\n');
  assert.deepEqual(replies.map((reply) => [reply.status, reply.headers]), [[400, ['Content-Length: 0', 'Date: now', 'Connection: close']]]);
});

test('a Location holds one line, whatever got past the checks of the request', () => {
  const asked = { method: 'GET', path: '/', query: '', host: 'a', traceparent: '' };
  assert.deepEqual(redirectToHttps(443)(asked), emptyReply(307, ['Location', 'https://a/']));
  for (const text of ['a\r\nSet-Cookie: b', 'a\nb', 'a\0', '\u0100']) {
    for (const wrong of [{ host: text }, { path: `/${text}` }, { query: text }]) {
      const [name = '', value = ''] = redirectToHttps(443)({ ...asked, ...wrong }).fields;
      assert.throws(() => validateHeaderValue(name, value), { code: 'ERR_INVALID_CHAR' }); // so node throws, too: see send.test.ts
    }
  }
});
