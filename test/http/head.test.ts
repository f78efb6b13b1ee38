// The request that a head amounts to. The rules for heads are in the contract, with values on both sides of each limit;
// those that differ between servers in app.test.ts, and the reasons in refusals.test.ts.
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { readHead } from '../../src/http/head.ts';

/** Checks a head as Node parses it: of a field that comes twice, the values are joined by a comma. */
function read(line: string, headers: IncomingHttpHeaders) {
  const [method = '', url = '', version = ''] = line.split(' ');
  return readHead({ method, url, httpVersion: version.slice('HTTP/'.length), headers, rawHeaders: [] }, {});
}

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
