// Requests that are legal, however odd they look. They are served, and the connection stays open.
import { each, filler, group, head, requestsTo, type Group, type Line } from './entry.ts';

const HOSTS = [
  'example.com', 'example.com:8080', 'A.Example', '7', 'my_service_1', '127.0.0.1:80', "a-.~%20b%C3%a9!$&'()*+;=", 'a:0', 'a:00080',
  'a:65535', '[::1]', '[::]', '[2001:db8::7f]', '[2001:DB8::7F]:8080', '[::ffff:10.0.0.1]', '[0:0:0:0:0:0:0:1]:0',
  'example.com.', 'a.:80', '127.0.0.1.', '.',
];
const EXTENSIONS = [
  ';a', ';a=b;c=d;e', ';a=""', ';a="b;c=d"', ';a="\\""', ';a="\\\\"', ';a="\\\\\\""', ';a="\t !#[]~"', ';a="\\a\\\t\\ \\\xe9"',
];
const CONTENTS = [
  '00000003\r\nabc\r\n00000000\r\n\r\n', '3\r\nabc\r\n1\r\n\r\r\n0\r\n\r\n', '4\r\n\r\n\r\n\r\n0\r\n\r\n', '7\r\n0\r\n\r\nGE\r\n0\r\n\r\n',
  'A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n', '0\r\nX: \t~\xe9: y\r\nZ:\r\n\r\n',
];
const TRAILERS = ['X: y', 'Content-MD5: z', 'Hosts: b', 'Expect: x', 'Proxy-Connection: close', '__proto__: x'];
const OPTIONS_KEPT = ['', ',', 'closed', 'enclose', 'not-close', 'close x', 'close;x', 'keep-alive', 'upgrade'];
const OPTIONS_OF_HTTP10 = ['keep-alive', 'Keep-Alive', 'x, keep-alive', 'keep-alive\t,x', ', keep-alive ,', 'keep-alive \t'];
const METHODS = [
  'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY', 'M-SEARCH', 'PROPFIND', 'SOURCE', 'connect', 'CONNECTS', 'G',
  'get', 'BREW', 'DESCRIBE', 'PRI', "!#$%&'*+-.^_`|~09azAZ",
];
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA'];

/** The groups for a server with this authority. */
export function served(authority: string): Group[] {
  const { host, bare, get, target, http10, chunked } = requestsTo(authority);
  const kept = (says: string, ...lines: readonly Line[]) => group(says, false, 200, ...lines);
  const toOther = (says: string, status: number, bytes: string): Line => [says, bytes, [status]];
  const anyHost = (lines: readonly Line[]) => lines.map(([says, bytes]): Line => [says, bytes, [200], 'any host']);
  const half = `8000\r\n${'x'.repeat(32_768)}\r\n`;
  return [
    kept('Host (RFC 9112 3.2, RFC 3986 3.2.2)',
      ...anyHost(each('Host: ', HOSTS, (name) => bare(`Host: ${name}`))),
      ['white space around Host, which is not part of it', bare(`Host: \t ${authority} \t`)],
      ['the field name in any case', bare(`hOST:${authority}`)],
      ['every kind of byte in fields', get('X:', "!#$%&'*+-.^_`|~09: b", 'Z: a\tb  c\xe9\x80\xff:;"', 'Cookie: a=b; c="d"')],
      ['a traceparent', get('TraceParent: \t01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x ')],
      ['two traceparents', get('traceparent: a', 'traceparent: b')]),
    kept('The request-target (RFC 9112 3.2)',
      ['origin-form', target('/health')],
      ['an empty query', target('/health?')],
      toOther('every character of a path', 404, target("/az09-._~!$&'()*+,;=:@/%7E%2f//")),
      ['what browsers and curl send in a query without encoding', target('/health?{}|^"<>`[]\'\\%zz?/:@')],
      ['absolute-form', target(`http://${authority}/health`)],
      ['absolute-form, in any case', target(`HTTP://${authority.toUpperCase()}/health?x=1`)],
      ...anyHost([['http://a:80', 'A'], ['http://a', 'a:80'], ['http://[::1]:80', '[::1]'],
        ['http://a.', 'A'], ['http://a', 'a.:80'], ['http://a.:8080', 'a:8080']].map(([start, name]): Line =>
        [`${start} with Host: ${name}: the same (RFC 3986 6.2.3, RFC 1034 3.1)`, head(`GET ${start}/health HTTP/1.1`, `Host: ${name}`)])),
      toOther('absolute-form without a path, which is the root', 404, target(`http://${authority}`)),
      toOther('absolute-form with a query only', 404, target(`http://${authority}?/health`)),
      toOther('absolute-form to another method', 405, target(`http://${authority}/health`, 'PUT')),
      toOther('asterisk-form with OPTIONS', 404, target('*', 'OPTIONS'))),
    kept('Framing (RFC 9112 6)',
      ['Content-Length: 0', get('Content-Length: 0')],
      ['content of a declared length', `${get('Content-Length: \t5 ')}12345`],
      ['content that looks like the end of a head, and like a chunk', `${get('content-length:9')}\r\n\r\n0\r\n\r\n`],
      ['content that looks like a request', `${get('Content-Length: 29')}GET /nope HTTP/1.1\r\nHost: a\r\n`],
      ['a tab after the coding', `${get('Transfer-Encoding:\tchunked\t')}0\r\n\r\n`],
      ['chunked in any case', `${get('Transfer-Encoding: CHUNKED  ')}0\r\n\r\n`],
      ['64 KiB of content', `${get('Content-Length: 65536')}${'x'.repeat(65_536)}`],
      ['64 KiB of content in chunks', chunked(`${half}${half}0\r\n\r\n`)],
      ...each('the chunked content ', CONTENTS, chunked),
      ...each('the chunk extensions ', EXTENSIONS, (extension) => chunked(`3${extension}\r\nabc\r\n0${extension}\r\n\r\n`)),
      ...each('in the trailers (RFC 9110 6.5.1) ', TRAILERS, (trailer) => chunked(`0\r\n${trailer}\r\n\r\n`)),
      toOther('content to another method', 405, `${head('POST /health HTTP/1.1', host, 'Content-Length: 2')}{}`),
      toOther('content to no path', 404, `${head('POST /nope HTTP/1.1', host, 'Content-Length: 2')}{}`),
      ['empty lines before a request (2.2)', `\n\r\r\n\r\n${get()}`]),
    kept('Sizes (RFC 6585 5)',
      ['100 header lines', get(...filler(99))],
      ['a head of 1 byte less than 16 KiB', get(`X: ${'x'.repeat(16_383 - get('X: ').length)}`)],
      toOther('a target of almost 16 KiB', 404, target(`/${'a'.repeat(8_000)}?${'b'.repeat(8_000)}`)),
      ['almost 16 KiB of chunk lines', chunked(`${`1;a="${'b'.repeat(900)}"\r\nx\r\n`.repeat(17)}0\r\n\r\n`)],
      ['almost 16 KiB of trailers', chunked(`0\r\nX: ${'x'.repeat(16_000)}\r\n\r\n`)]),
    kept('Versions (RFC 9112 2.3) and order',
      ...each('HTTP/1.0 with Connection: ', OPTIONS_OF_HTTP10, (options) => http10(`Connection: ${options}`)),
      ['HTTP/1.2, which is read as HTTP/1.1 (RFC 9110 2.5)', head('GET /health HTTP/1.2', host)],
      ['HTTP/1.9 with chunks', `${head('GET /health HTTP/1.9', host, 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`],
      ['pipelined requests (9.3.2)', get() + target('/nope') + target('/health', 'POST'), [200, 404, 405]],
      ['an expectation in HTTP/1.0, which is ignored (RFC 9110 10.1.1)', http10('Connection: keep-alive', 'Expect: x')]),
    group('Methods (RFC 9110 9.1): any token is one, case-sensitive, under the same rules as all others', false, 405,
      ...each('', METHODS, (method) => target('/health', method)),
      ['BREW on a mapped path with a query', target('/api/greetings?name=', 'BREW')],
      toOther('BREW on another path', 404, target('/nope', 'BREW')),
      ['BREW in HTTP/1.0', head('BREW /health HTTP/1.0', host, 'Connection: keep-alive')],
      ['BREW after other requests', get() + target('/nope') + target('/health', 'BREW'), [200, 404, 405]],
      ['BREW with chunks', `${head('BREW /health HTTP/1.1', host, 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`]),
    kept('What is ignored',
      ["Upgrade (RFC 9110 7.8), as Java's HttpClient and curl --http2 send it", get(...H2C)],
      ['Upgrade with content, which is read (RFC 9112 6.3)', `${get('Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 3')}abc`],
      ['Upgrade with chunks', `${get('Connection: Upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`],
      ['Upgrade in HTTP/1.0', http10('Connection: keep-alive, upgrade', 'Upgrade: websocket')],
      ...each('Connection: ', OPTIONS_KEPT, (options) => get(`Connection: ${options}`)),
      ['100-continue without content (RFC 9110 10.1.1)', get('Expect: 100-continue')],
      ...each('nothing is expected, so the content is read (RFC 9110 5.6.1.2): Expect: ', ['', ',', ', \t,'], (expectation) =>
        `${get(`Expect: ${expectation}`, 'Content-Length: 5')}12345`),
      ['100-continue with Content-Length: 0', get('Content-Length: 0', 'Expect: 100-Continue')],
      ['Proxy-Connection, which is in no standard', get('Proxy-Connection: close')],
      ['a value that is the name of a field', get('X: host', 'Y: b')],
      ['a field that has ended processes (CVE-2026-21710)', get('__proto__: x')]),
  ];
}
