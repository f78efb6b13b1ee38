// The catalogue: raw bytes in; statuses and the state of the connection out. Every entry is followed, in
// the same packet, by an ordinary request: on a connection that stays open it is answered, on one that is
// closed it must not be, whatever bytes came before it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startService } from '../support/service.ts';
import { exchange, requestBytes } from '../support/wire.ts';

type Entry = readonly [what: string, bytes: string, statuses: readonly number[]];

/** A head of these lines, each with its line break, and the empty line. */
const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
const get = (...fields: readonly string[]) => head('GET /health HTTP/1.1', ...fields);
const target = (text: string, method = 'GET') => head(`${method} ${text} HTTP/1.1`, 'Host: a.example');
const host = (value: string) => get(`Host: ${value}`);
const chunked = (content: string) => get('Host: a', 'Transfer-Encoding: chunked') + content;
const filler = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: ${i}`);

/** Served, and the connection stays open. */
const kept: Readonly<Record<string, readonly Entry[]>> = {
  'Host (RFC 9112 3.2, RFC 3986 3.2.2)': [
    ['a registered name', host('example.com'), [200]],
    ['with a port', host('example.com:8080'), [200]],
    ['port 0', host('a:0'), [200]],
    ['port 65535', host('a:65535'), [200]],
    ['underscores, as between containers', host('my_service_1'), [200]],
    ['percent-encoded and sub-delims of a registered name', host("a%20b!$&'()*+;=~"), [200]],
    ['an IPv4 address', host('127.0.0.1:80'), [200]],
    ['an IPv6 address in brackets', host('[::1]'), [200]],
    ['an IPv6 address with a port', host('[2001:db8::7f]:8080'), [200]],
    ['white space around the value, which is not part of it', get('Host: \t a.example \t'), [200]],
    ['a field name in any case', get('hOST: a'), [200]],
    ['names as long as those that matter', get('Host: a', 'From: b', 'Accept: *', 'Accept-Charset: c', 'If-Modified-Since: d', 'Referer: e'), [200]],
  ],
  'The request-target (RFC 9112 3.2)': [
    ['origin-form', target('/health'), [200]],
    ['an empty query', target('/health?'), [200]],
    ['every character of a path', target("/az09-._~!$&'()*+,;=:@/%7E%2f"), [404]],
    ['what browsers and curl send raw in a query', target('/health?{}|^"<>`[]\''), [200]],
    ['absolute-form', target('http://a.example/health'), [200]],
    ['absolute-form with https, in any case', target('HTTPS://A.EXAMPLE/health?x=1'), [200]],
    ['absolute-form without a path, which is the root', target('http://a.example'), [404]],
    ['absolute-form with a query only', target('http://a.example?/health'), [404]],
    ['absolute-form to another method', target('http://a.example/health', 'PUT'), [405]],
    ['asterisk-form with OPTIONS', target('*', 'OPTIONS'), [404]],
  ],
  'Framing (RFC 9112 6)': [
    ['Content-Length: 0', get('Host: a', 'Content-Length: 0'), [200]],
    ['content of a declared length', `${get('Host: a', 'Content-Length: 5')}12345`, [200]],
    ['content that looks like a request', `${get('Host: a', 'Content-Length: 29')}GET /nope HTTP/1.1\r\nHost: a\r\n\r\n`.slice(0, -2), [200]],
    ['chunked content', chunked('3\r\nabc\r\n0\r\n\r\n'), [200]],
    ['no chunks', chunked('0\r\n\r\n'), [200]],
    ['chunk extensions and trailers', chunked('3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n'), [200]],
    ['chunked in any case', `${get('Host: a', 'Transfer-Encoding: CHUNKED')}0\r\n\r\n`, [200]],
    ['64 KiB of content', `${get('Host: a', 'Content-Length: 65536')}${'x'.repeat(65_536)}`, [200]],
    ['64 KiB of content in chunks', chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8000\r\n${'x'.repeat(32_768)}\r\n0\r\n\r\n`), [200]],
    ['content to another method', `${head('POST /health HTTP/1.1', 'Host: a', 'Content-Length: 2')}{}`, [405]],
    ['content to no path', `${head('POST /nope HTTP/1.1', 'Host: a', 'Content-Length: 2')}{}`, [404]],
    ['empty lines before a request (2.2)', `\r\n\r\n${host('a')}`, [200]],
  ],
  'Sizes (RFC 6585 5)': [
    ['100 header lines', get('Host: a', ...filler(99)), [200]],
    ['almost 16 KiB of headers', get('Host: a', `X: ${'x'.repeat(16_000)}`), [200]],
  ],
  'Versions (RFC 9112 2.3) and order': [
    ['HTTP/1.0 that asks to be kept', head('GET /health HTTP/1.0', 'Connection: keep-alive'), [200]],
    ['pipelined requests (9.3.2)', host('a') + target('/nope') + target('/health', 'POST'), [200, 404, 405]],
    ['content between others', `${host('a')}${get('Host: a', 'Content-Length: 1')}x${target('/nope')}`, [200, 200, 404]],
    ['an expectation in HTTP/1.0, which is ignored (RFC 9110 10.1.1)', head('GET /health HTTP/1.0', 'Connection: keep-alive', 'Expect: x'), [200]],
    ['Upgrade without Connection: upgrade is ignored', get('Host: a', 'TE: trailers'), [200]],
  ],
};

/** The last reply on its connection: refused, or served and closed. */
const closed: Readonly<Record<string, readonly Entry[]>> = {
  'Host (RFC 9112 3.2): a second or a strange one routes past a proxy': [
    ['none', get(), [400]],
    ['two, the same', get('Host: a', 'Host: a'), [400]],
    ['two, different', get('Host: a', 'Host: b'), [400]],
    ['two, far apart', get('Host: a', ...filler(90), 'host: b'), [400]],
    ['two in HTTP/1.0', head('GET /health HTTP/1.0', 'Host: a', 'Host: a'), [400]],
    ['an illegal one in HTTP/1.0', head('GET /health HTTP/1.0', 'Host: a b'), [400]],
    ...['', 'user@a', 'user:pass@a', 'a/b', 'a?b', 'a#b', 'a,b', 'a, b', 'a b', 'a:', 'a:x', 'a:80:80', 'a:65536', 'a:000080', 'a:-1', ':80',
      'http://a', 'a\\b', '%zz', 'a%2', '"a"', '<a>', '[::1', '::1', '[]', '[1]', '[::g]', '[::1]x', '[::1]:', '[127.0.0.1]', '[fe80::1%25eth0]', '[v1.a]', 'a\xe9',
    ].map((value): Entry => [JSON.stringify(value), host(value), [400]]),
  ],
  'The request-target (RFC 9112 3.2): programs that read it differently guard different doors': [
    ['asterisk-form with GET', target('*'), [400]],
    ['authority-form with GET', target('a.example:80'), [400]],
    ['no slash', target('health'), [400]],
    ['a fragment', target('/health#a'), [400]],
    ['a fragment in the query', target('/health?a#b'), [400]],
    ['a backslash', target('/health\\'), [400]],
    ['a backslash in the query', target('/health?\\'), [400]],
    ['a malformed percent in the path', target('/health%2'), [400]],
    ...['"', '<', '>', '[', ']', '^', '`', '{', '|', '}'].map((char): Entry => [`${char} in the path`, target(`/health${char}`), [400]]),
    ['NUL', target('/health\0'), [400]],
    ['a tab', target('/health\t'), [400]],
    ['DEL', target('/health\x7f'), [400]],
    ['bytes outside ASCII', target('/health\xc3\xa9'), [400]],
    ['bytes outside ASCII in the query', target('/api/greetings?name=\xc3\xa9'), [400]],
    ['absolute-form with another authority', target('http://b.example/health'), [400]],
    ['absolute-form with another port', target('http://a.example:80/health'), [400]],
    ['absolute-form with user information', target('http://user@a.example/health'), [400]],
    ['absolute-form without an authority', target('http:///health'), [400]],
    ['absolute-form with a fragment', target('http://a.example#/health'), [400]],
    ['absolute-form of another scheme', target('ftp://a.example/health'), [400]],
    ['a space in the target', target('/health a'), [400]],
  ],
  'Framing (RFC 9112 6): who finds another end of the content smuggles a request': [
    ['two lengths, the same', `${get('Host: a', 'Content-Length: 1', 'Content-Length: 1')}x`, [400]],
    ['two lengths, different', `${get('Host: a', 'Content-Length: 1', 'Content-Length: 2')}x`, [400]],
    ['a list of lengths', `${get('Host: a', 'Content-Length: 1, 1')}x`, [400]],
    ...['005', '00', '+5', '-5', '5x', '0x5', '5.0', '5 5', '', '1e1', '99999999999999999999999'].map(
      (value): Entry => [`Content-Length: ${value}`, `${get('Host: a', `Content-Length: ${value}`)}12345`, [400]],
    ),
    ['both framings', `${get('Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
    ['both framings the other way round', `${get('Host: a', 'Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`, [400]],
    ...['', 'identity', 'gzip', 'gzip, chunked', 'chunked, gzip', 'chunked, chunked', 'xchunked', '"chunked"', 'chunked;q=1', '\x0bchunked'].map(
      (value): Entry => [`Transfer-Encoding: ${JSON.stringify(value)}`, `${get('Host: a', `Transfer-Encoding: ${value}`)}0\r\n\r\n`, [400]],
    ),
    ['two transfer encodings', `${get('Host: a', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
    ['a transfer encoding in HTTP/1.0', `${head('GET /health HTTP/1.0', 'Connection: keep-alive', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
    ['a chunk size that is none', chunked('x\r\nabc\r\n0\r\n\r\n'), [400]],
    ['a negative chunk size', chunked('-3\r\nabc\r\n0\r\n\r\n'), [400]],
    ['a chunk that is longer than its size', chunked('3\r\nabcd\r\n0\r\n\r\n'), [400]],
    ['a chunk size with a bare line feed', chunked('3\nabc\r\n0\r\n\r\n'), [400]],
    ['a malformed trailer', chunked('0\r\n X: y\r\n\r\n'), [400]],
    ['a malformed chunk after a good one, of a later request', `${host('a')}${chunked('3\r\nabc\r\nz')}`, [200, 400]],
  ],
  'Content (RFC 9110 15.5.14)': [
    ['a byte more than 64 KiB declared', get('Host: a', 'Content-Length: 65537'), [413]],
    ['a byte more than 64 KiB, all sent', `${get('Host: a', 'Content-Length: 65537')}${'x'.repeat(65_537)}`, [413]],
    ['a byte more than 64 KiB in chunks', chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`), [413]],
    ['too much after another request', `${host('a')}${get('Host: a', 'Content-Length: 65537')}`, [200, 413]],
    ['20 KiB of chunk extensions', chunked(`3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`), [400]],
  ],
  'Sizes (RFC 6585 5)': [
    ['101 header lines', get('Host: a', ...filler(100)), [431]],
    ['1,100 header lines, which some versions of node cut at 1,000', get('Host: a', ...filler(1_099).map((line) => line.slice(0, 8)), 'Host: b'), [431]],
    ['more than 16 KiB of headers', get('Host: a', `X: ${'x'.repeat(16_384)}`), [431]],
    ['a target of 16 KiB', target(`/${'x'.repeat(16_384)}`), [431]],
    ['17 KiB of trailers', chunked(`0\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`), [431]],
  ],
  'Syntax (RFC 9112 2 to 5)': [
    ['no version', 'GET /health\r\n\r\n', [505]],
    ['HTTP/0.9', head('GET /health HTTP/0.9', 'Host: a'), [505]],
    ['HTTP/1.2', head('GET /health HTTP/1.2', 'Host: a'), [505]],
    ['HTTP/2.0', head('GET /health HTTP/2.0', 'Host: a'), [505]],
    ['HTTP/2.0 and an illegal target', head('GET /a#b HTTP/2.0', 'Host: a'), [505]],
    ['HTTP/3.0', head('GET /health HTTP/3.0', 'Host: a'), [505]],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [505]],
    ['a version that is none', head('GET /health HTTP/x', 'Host: a'), [400]],
    ['another protocol', head('GET /health HTCPCP/1.0', 'Host: a'), [400]],
    ['lines that end in a bare line feed', 'GET /health HTTP/1.1\nHost: a\n\n', [400]],
    ['white space before the colon', get('Host : a'), [400]],
    ['white space before the first field', get(' Host: a'), [400]],
    ['a folded line', get('Host: a', 'X: a', ' b'), [400]],
    ['a line without a colon', get('Host: a', 'X'), [400]],
    ['a field without a name', get('Host: a', ': x'), [400]],
    ['a name that is no token', get('Host: a', 'X y: z'), [400]],
    ['NUL in a value', get('Host: a', 'X: a\0b'), [400]],
    ['a bare carriage return in a value', get('Host: a', 'X: a\rb'), [400]],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', [400]],
    ['nothing but noise', '\xff\xfe\x00\x01\r\n\r\n', [400]],
    ['a request line that breaks off', 'BREW\r\n', [400]],
  ],
  'Methods that node does not know (RFC 9110 9.1)': [
    ['on a mapped path', target('/health', 'BREW'), [405]],
    ['on a mapped path with a query', target('/api/greetings?name=', 'BREW'), [405]],
    ['on another path', target('/nope', 'BREW'), [404]],
    ['in lower case: methods are case-sensitive', target('/health', 'get'), [405]],
    ['in HTTP/1.0', head('BREW /health HTTP/1.0'), [405]],
    ['but PRI is known, as part of the HTTP/2 preface', target('/health', 'PRI'), [400]],
    ['absolute-form', target('http://a.example/health', 'BREW'), [405]],
    ['after other requests', host('a') + target('/nope') + target('/health', 'BREW'), [200, 404, 405]],
    ['after content', `${get('Host: a', 'Content-Length: 1')}x${target('/health', 'BREW')}`, [200, 405]],
    ['with an illegal target', target('/health#a', 'BREW'), [400]],
    ['in another version', head('BREW /health HTTP/2.0', 'Host: a'), [505]],
    ['a method that is no token', target('/health', 'BR(W'), [400]],
    ['a method that node knows but for bytes before it', `${get('Host: a', 'Content-Length: 2')}\nGET /health HTTP/1.1\r\n`.replace('GET /h', 'G\nET /h'), [400]],
  ],
  'CONNECT, Upgrade, Expect (RFC 9110 9.3.6, 7.8, 10.1.1)': [
    ['CONNECT, for here is no proxy', target('a.example:80', 'CONNECT'), [501]],
    ['CONNECT after other requests', host('a') + target('a.example:80', 'CONNECT'), [200, 501]],
    ['CONNECT after the last request', head('GET /health HTTP/1.0') + target('a.example:80', 'CONNECT'), [200]],
    ['CONNECT without a port', target('a.example', 'CONNECT'), [400]],
    ['CONNECT in origin-form', target('/health', 'CONNECT'), [400]],
    ['CONNECT with two hosts', head('CONNECT a:80 HTTP/1.1', 'Host: a', 'Host: b'), [400]],
    ['Upgrade is ignored, but the parser loses what follows', get('Host: a', 'Connection: Upgrade', 'Upgrade: websocket'), [200]],
    ['Upgrade with content', `${get('Host: a', 'Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 3')}abc`, [200]],
    ['100-continue gets the final status at once', get('Host: a', 'Content-Length: 5', 'Expect: 100-continue'), [200]],
    ['100-continue in any case, with chunks', get('Host: a', 'Transfer-Encoding: chunked', 'Expect: 100-Continue'), [200]],
    ['100-continue without content', get('Host: a', 'Expect: 100-continue'), [200]],
    ['100-continue for too much', get('Host: a', 'Content-Length: 65537', 'Expect: 100-continue'), [413]],
    ['100-continue on another method', head('POST /health HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Expect: 100-continue'), [405]],
    ['another expectation', get('Host: a', 'Expect: tea'), [417]],
    ['100-continue and another', get('Host: a', 'Expect: 100-continue, tea'), [417]],
    ['two expectations', get('Host: a', 'Expect: 100-continue', 'Expect: 100-continue'), [417]],
    ['an empty expectation', get('Host: a', 'Expect:'), [417]],
  ],
  'The end (RFC 9112 9.6)': [
    ['Connection: close', get('Host: a', 'Connection: close'), [200]],
    ['HTTP/1.0', head('GET /health HTTP/1.0'), [200]],
    ['HTTP/1.0 in absolute-form without Host', head('GET http://a.example/health HTTP/1.0'), [200]],
    ['HTTP/1.0 in absolute-form with an illegal authority', head('GET http://a@b/health HTTP/1.0'), [400]],
  ],
};

const probe = requestBytes('GET', '/api/greetings');

for (const [section, entries] of Object.entries(kept)) {
  describe(`served, kept open. ${section}`, () => {
    for (const [what, bytes, statuses] of entries) {
      test(what, async (t) => {
        const { port } = await startService(t);
        const { replies } = await exchange(port, bytes + probe);
        assert.deepEqual(replies.map((reply) => reply.status), [...statuses, 200]);
        for (const reply of replies.slice(0, -1)) assert.ok(reply.headers.includes('Connection: keep-alive'));
        assert.match(replies.at(-1)?.body ?? '', /^\{"message":"Hello, World!"/);
      });
    }
  });
}

for (const [section, entries] of Object.entries(closed)) {
  describe(`the last reply. ${section}`, () => {
    for (const [what, bytes, statuses] of entries) {
      test(what, async (t) => {
        const { port, reported, refusals } = await startService(t);
        const { replies, ended } = await exchange(port, bytes + probe);
        assert.deepEqual(replies.map((reply) => reply.status), statuses);
        assert.ok(ended);
        const last = replies.at(-1) ?? assert.fail();
        if (last.status === 200) {
          assert.equal(last.headers.at(-1), 'Connection: close');
        } else {
          const allow = last.status === 405 ? ['Allow: GET'] : [];
          assert.deepEqual(last.headers, [...allow, 'Content-Length: 0', 'Date: now', 'Connection: close']);
          assert.equal(last.body, '');
        }
        assert.deepEqual(reported, [], 'a client is no error of ours');
        const illegal = [400, 413, 417, 431, 505].includes(last.status) ? [last.status] : [];
        assert.deepEqual(refusals.filter((status) => status > 405 || status < 404), illegal);
      });
    }
  });
}
