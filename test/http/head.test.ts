// The rules that differ between servers, and the request that a head amounts to. All servers have the other rules, so
// the contract tests them, with values on both sides of each limit; refusals.test.ts tests their reasons.
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { readHead, type HeadRules } from '../../src/http/head.ts';
import { hostNamesOf } from '../../src/http/target.ts';

/** Checks a head as Node parses it: of a field that comes twice, the values are joined by a comma. */
function read(line: string, headers: IncomingHttpHeaders, rules: HeadRules = {}) {
  const [method = '', url = '', version = ''] = line.split(' ');
  return readHead({ method, url, httpVersion: version.slice('HTTP/'.length), headers, rawHeaders: [] }, rules);
}

const HOST = { host: 'a' };
const ONLY_A: HeadRules = { hostNames: hostNamesOf(['a']) };

test('https, the host and who must name it are up to the server', () => {
  for (const [line, headers, reason, rules] of [
    ['GET https://a/ HTTP/1.1', HOST, 'httpsWithoutTls', { needsHost: true }],
    ['GET https://a:443/ HTTP/1.1', HOST, undefined, { takesHttps: true }],
    ['GET https://a:80/ HTTP/1.1', HOST, 'hostMismatch', { takesHttps: true }],
    ['GET / HTTP/1.0', {}, 'redirectWithoutHost', { needsHost: true }],
    ['GET http://a/ HTTP/1.0', {}, undefined, { needsHost: true }],
    ['GET / HTTP/1.1', HOST, undefined, ONLY_A], ['GET / HTTP/1.1', { host: 'b' }, 'hostNotAllowed', ONLY_A],
    ['GET http://a/ HTTP/1.0', {}, undefined, ONLY_A], ['GET / HTTP/1.0', {}, 'hostNotAllowed', ONLY_A],
  ] as const) assert.equal(read(line, headers, rules).check(), reason, `${line} ${JSON.stringify(headers)}`);
});

test('the request has what was sent, also where it is refused, and a traceparent of its own, which stays', () => {
  const headers = { host: 'A:80', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  for (const [line, path, query, host = 'A:80', sent = headers] of [
    ['PUT /a?b HTTP/1.1', '/a', 'b'], ['GET //%61/../b#?c?d HTTP/1.1', '//%61/../b#', 'c?d'],
    ['GET http://B:1/?a HTTP/1.0', '/', 'a', 'B:1', {}], ['GET HTTPS://a?/b HTTP/1.1', '/', '/b'],
    ['GET http://a#/b HTTP/1.1', '/#/b', ''], ['OPTIONS * HTTP/1.1', '*', ''],
    ['GET * HTTP/1.1', '', ''], ['GET a/b HTTP/1.1', '', ''], ['GET xhttp://a/b HTTP/1.1', '', ''],
  ] as const) {
    const { request, check } = read(line, sent);
    const [method] = line.split(' ');
    const parts = [request.method, request.path, request.query, request.host, request.headers];
    assert.deepEqual(parts, [method, path, query, host, sent]);
    assert.equal(check() === 'targetForm', path === '', line);
    assert.equal(/^00-a{32}-(?!b{16})[0-9a-f]{16}-01$/.test(request.traceparent), sent === headers);
    assert.equal(request.traceparent, request.traceparent);
  }
  const bare = { httpVersion: '1.1', headers, rawHeaders: [] }; // which Node's types allow
  assert.equal(readHead(bare, {}).check(), 'targetForm');
});
