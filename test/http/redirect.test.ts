import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReply } from '../../src/http/messages.ts';
import { redirectToHttps } from '../../src/http/redirect.ts';

const asked = { method: 'GET', path: '/', query: '', host: 'a', parent: undefined };

test('a request is redirected to the port of HTTPS on the same host, with its path and query', () => {
  for (const [port, path, query, host, location] of [
    [8443, '/health', '', 'example.com', 'https://example.com:8443/health'],
    [8443, '/api/greetings', 'name=Ada&x=%20%c3', 'example.com:8080', 'https://example.com:8443/api/greetings?name=Ada&x=%20%c3'],
    [443, '/', '', 'example.com:80', 'https://example.com/'],
    [443, '/openapi/v1.json', '', '[::1]:8080', 'https://[::1]/openapi/v1.json'],
    [8443, '/health', '', '[::1]', 'https://[::1]:8443/health'],
    [8443, '*', '', '127.0.0.1', 'https://127.0.0.1:8443'],
    [8443, '//evil.example/', '', 'example.com', 'https://example.com:8443//evil.example/'],
  ] as const) {
    const reply = redirectToHttps(port)({ ...asked, path, query, host });
    assert.deepEqual(reply, emptyReply(307, ['Location', location]));
  }
});

test('each character that browsers send in a query and a URI does not have is percent-encoded, and the query means the same', () => {
  const query = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter((character) => character !== '#').join('');
  const asSent = `${query}&name=%zz%`;
  const [, location = ''] = redirectToHttps(443)({ ...asked, query: asSent }).fields;
  assert.equal(location, "https://a/?!%22$%25&'()*+,-./0123456789:;%3C=%3E?@ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60" +
    'abcdefghijklmnopqrstuvwxyz%7B%7C%7D~&name=%25zz%25');
  assert.deepEqual(Array.from(new URL(location).searchParams), Array.from(new URLSearchParams(asSent)));
});
