import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectToHttps } from '../../src/http/redirect.ts';
import { emptyReply } from '../../src/http/reply.ts';
import { HttpRequest } from '../../src/http/request.ts';

const redirect = async (port: number, host: string, path: string, query: string) =>
  redirectToHttps(port)(new HttpRequest({ method: 'PUT', path, query, host, headers: {} }));

test('a request is redirected to the port of HTTPS on the same host, with its path and query', async () => {
  for (const [port, host, path, query, location] of [
    [8443, 'A.b.:8080', '/a/b', 'name=Ada&x=%20%c3', 'https://A.b.:8443/a/b?name=Ada&x=%20%c3'],
    [443, 'example.com:80', '/', '', 'https://example.com/'], [443, '[::1]:8080', '/a', '?b', 'https://[::1]/a??b'],
    [8443, '127.0.0.1', '*', '', 'https://127.0.0.1:8443'], [443, 'a', '/*', '', 'https://a/*'],
    [8443, 'example.com', '//evil.example/', '', 'https://example.com:8443//evil.example/'],
  ] as const) assert.deepEqual(await redirect(port, host, path, query), emptyReply(307, { Location: location }));
});

test('what a URI may not have is percent-encoded, and what is already stays as it is', async () => {
  for (const [sent, expected = sent] of [
    ['"#<>[\\]^`{|}', '%22%23%3C%3E%5B%5C%5D%5E%60%7B%7C%7D'], ["!$&'()*+,-./09:;=?@AZ_az~"],
    ['%zz%', '%25zz%25'], ['%2541%%41%4', '%2541%25%41%254'], ['%e4%C3'],
  ] as const) {
    const Location = `https://a/${expected}?${expected}`;
    assert.deepEqual(await redirect(443, 'a', `/${sent}`, sent), emptyReply(307, { Location }));
  }
});
