// Requests whose reply is the last one on the connection: refused ones, and some that are served.
import { each, filler, group, head, requestsTo, type Group, type Line } from './entry.ts';

const HOSTS = [
  'user@a', 'user:pass@a', 'a/b', 'a?b', 'a#b', 'a, b', 'a b', 'a\tb', 'a:x', 'a:-1', 'a:0x1f', 'a:80:80', 'http://a', 'a\\b', 'a%2',
  '"a"', 'a\xe9', '::1', '1::1', '[', ']', '[]', '[1]', '[::g]', '[::1', '::1]', '1[::1]', 'a[::1]', '[::1]1', '[::1]x', '[::1]:x',
  '[[::1]]', '[127.0.0.1]', '[fe80::1%25eth0]', '[fe80::1%eth0]', '[:::1]', '[::12345]',
];
const ODD_HOSTS = ['', ':80', 'a:', 'a,b', 'a:65536', 'a:000080', '[::1]:', '[::1]:65536', '[v1.a]'];
const TARGETS = [
  'health', 'a.example:80', '\\health', '**', '?', '?/', '.', '/health\\', '/health%', '/health%2', '/health%2z', '/health%%41', '/health"',
  '/health[', '/health|/b', 'http:/a/health', 'http:a/health', 'http//a/b', 'http:/', 'http', '://a/health', 'xhttp://a/health',
  'httpx://a/health', 'httpss://a/health', 'htp://a/b', 'ftp://a/health', 'http://a/health%',
];
const LENGTHS = ['+5', '-5', '5x', 'x5', '0x5', '5.0', '5 5', '1e1', '1, 1', '1, 2', '', '\xb2'];
const CODINGS = [
  '', 'identity', 'gzip', 'chunked, gzip', '\vchunked', 'xchunked', 'chunkedx', '"chunked"', 'chunked;a=b', 'chunked x', '\xa0chunked',
  'gzip chunked', 'gzip, xchunked', 'gzip, \xa0chunked', 'gzip, chunked;a=b', 'gzip, chunked, gzip',
];
const ODD_CODINGS = ['chunked,', ',chunked', ', \t,chunked', 'gzip, chunked,', 'gzip,,chunked,'];
const UNKNOWN_CODINGS = ['gzip, chunked', 'gzip,chunked', 'x;y=z ,\tChunked', 'x, y, chunked', 'chunked, chunked', '\xe9,chunked'];
const EXPECTATIONS = ['100-continue, 100-continue', '100-continue, tea', '100-continue,', '100-continue;a', '100', 'x100-continue'];
const SIZES = [
  '', 'x', '-3', '+3', ' 3', '3 ', '3\t', '3 1', '0x3', '3.0', '3,', '3g', '3,a', '3=a', ';a', '3;', '3;;', '3;;a', '3;a;', '3;=', '3;=x',
  '3;a=', '3;a==b', '3;a=b=c', '3; a b', '3;a= b c', '3;a ', '3;a=b ', '3;"a"', '3;"a"=b', '3;a="', '3;a="b', '3;a="\\"', '3;a="b\\',
  '3;a="b"c', '3;a="b" c', '3;a="b""c"', '3;a=b"c"', "3;a='b c'", '3;a="\x7f"', '3;a="\0"', '3;a="\\\x7f"', '3;\x7f', '3;\xe9', '3;a=\xe9',
  '3;a,b', '3;a=b,c',
];
const FIELD_LINES = [
  'X', ':', ': x', 'X y: z', 'X : a', 'X\t: a', ' X: a', '\tX: a', 'X;: a', '\xe9: a', 'X\0: a', 'X: a\0b', 'X: a\x7f', 'X: a\rb',
  'X: a\nb', 'X: a\r\n b',
];
const REQUEST_LINES = [
  '\t', 'GET', 'GET /health', 'GET /health ', 'GET HTTP/1.1', 'GET  HTTP/1.1', ' /health HTTP/1.1', ' GET /health HTTP/1.1',
  'GET /health HTTP/1.1 ', 'GET\t/health HTTP/1.1', 'GET /health\tHTTP/1.1', 'GET /health a HTTP/1.1', 'GET http://a b/ HTTP/1.1',
  'GET /health\0 HTTP/1.1', 'GET /health\t HTTP/1.1', 'GET /health\x7f HTTP/1.1', 'GET /health\xc3\xa9 HTTP/1.1',
  'GET /health?\xc3\xa9 HTTP/1.1', 'BR(W /health HTTP/1.1', 'G\nET /health HTTP/1.1', 'G(T /health HTTP/2.0', 'GET  /health HTTP/2.0',
];
const PROTOCOLS = [
  'http/1.1', 'HTTP/11', 'HTTP/1.', 'HTTP/.1', 'HTTP/1.1.1', 'HTTP/x.y', 'HTTP/x', 'HTTP/1.11', 'HTTP/01.1', 'HTTP/ 1.1', 'HTTP1.1',
  'HTTP/1.1x', 'RTSP/1.1', 'ICE/1.1', 'HTCPCP/1.0',
];
const VERSIONS = ['0.0', '0.1', '0.9', '2.0', '2.1', '3.0', '9.9'];
const OPTIONS_CLOSE = [
  'close', 'Close', 'close,x', 'x , close', ', close', 'close ,', ',,close,,', 'x,\tclose\t ,y', 'keep-alive, close', 'close, upgrade',
];
const OPTIONS_OF_HTTP10 = [
  '', 'x', 'keepalive', 'keep-alive x', 'x keep-alive', 'keep-alives', 'no-keep-alive', 'keep-alive;x', 'close, keep-alive',
];

// From public lists of requests that servers read in different ways: CVE-2025-22871, CVE-2025-55315, CVE-2026-2332, and the grammar
// of RFC 9112 7.1. Line ends of every wrong kind, in every place where a line ends.
const ENDS = { 'LF': '\n', 'CR': '\r', 'CR CR LF': '\r\r\n', 'LF CR': '\n\r', 'CR and a space': '\r ', 'NUL': '\0' };
const LINES: Readonly<Record<string, (end: string) => string>> = {
  'a size': (end) => `3${end}abc\r\n0\r\n\r\n`,
  'an extension': (end) => `3;a=b${end}abc\r\n0\r\n\r\n`,
  'a quoted extension': (end) => `3;a="b${end}"\r\nabc\r\n0\r\n\r\n`,
  'data': (end) => `3\r\nabc${end}0\r\n\r\n`,
  'the last size': (end) => `3\r\nabc\r\n0${end}\r\n`,
  'a trailer': (end) => `0\r\nX: y${end}\r\n`,
  'the trailers': (end) => `0\r\nX: y\r\n${end}GET / HTTP/1.1\r\n`,
};

/** The groups for a server with this authority. */
export function last(authority: string): Group[] {
  const { host, bare, get, target, http10, chunked } = requestsTo(authority);
  const refused = (reason: string, ...lines: readonly Line[]) => group(reason, true, 400, ...lines);
  const refusedWith = (status: number, lines: readonly Line[]) => lines.map(([says, bytes]): Line => [says, bytes, [status]]);
  const coded = (coding: string) => `${get(`Transfer-Encoding: ${coding}`)}0\r\n\r\n`;
  const sized = (length: string) => `${get(`Content-Length: ${length}`)}12345`;
  const named = (name: string) => bare(`Host: ${name}`);
  return [
    refused('Host (RFC 9112 3.2, RFC 9110 7.2): a proxy may have used another host than the service',
      ['no Host', bare()],
      ['no Host in HTTP/1.2, to any method', head('BREW /health HTTP/1.2')],
      ['two Hosts, the same', get(host)],
      ['two Hosts, different', get('Host: b')],
      ['two Hosts, far apart', get(...filler(90), 'host: b')],
      ['two Hosts in HTTP/1.0', http10(host)],
      ['an illegal Host in HTTP/1.0', head('GET /health HTTP/1.0', 'Host: a b')],
      ...each('Host: ', HOSTS, named)),
    refused('Ours, because programs disagree on them: no empty name, no comma, no odd port, no IPvFuture (RFC 3986 3.2.2 allows them)',
      ...each('Host: ', ODD_HOSTS, named)),
    refused("The request-target (RFC 9112 3.2): a target that a proxy parses differently bypasses the proxy's rules",
      ['asterisk-form with GET', target('*')],
      ['a fragment', target('/health#a')],
      ['a fragment in the query', target('/health?a#b')],
      ...each('the target ', TARGETS, target),
      ['absolute-form with a fragment', target(`http://${authority}#/health`)],
      ['absolute-form with user information', target(`http://user@${authority}/health`)],
      ['absolute-form without an authority', target('http:///health')],
      ['absolute-form without Host', head(`GET http://${authority}/health HTTP/1.1`)],
      ['absolute-form with an illegal authority in HTTP/1.0', head('GET http://a@b/health HTTP/1.0')],
      ['absolute-form with https, where no TLS is (RFC 9110 7.4)', target(`https://${authority}/health`), [421], 'no TLS']),
    refused('Ours, because a proxy may have used the other one: Host is the authority of the target, as RFC 9112 3.2 asks of clients',
      ['absolute-form with another authority', target('http://b.example/health')],
      ['absolute-form with another port', target(`http://${authority.replace(/:\d+$/, '')}:1/health`)],
      ["absolute-form with the other scheme's default port", head('GET http://a:443/health HTTP/1.1', 'Host: a')]),
    refused('Framing (RFC 9112 6): two programs that find different ends of the content allow request smuggling',
      ['two lengths, the same', `${get('Content-Length: 1', 'Content-Length: 1')}x`],
      ['two lengths, different', `${get('Content-Length: 1', 'Content-Length: 2')}x`],
      ...each('Content-Length: ', LENGTHS, sized),
      ['both framings', `${get('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
      ['both framings the other way round', `${get('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`],
      ['no length and chunks', `${get('Content-Length: 0', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
      ['a length and another coding', `${get('Content-Length: 5', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`],
      ['a transfer encoding in HTTP/1.0', `${http10('Connection: keep-alive', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
      ['two codings in HTTP/1.0', `${http10('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`],
      ...each('Transfer-Encoding: ', CODINGS, coded),
      ...refusedWith(501, each('ends in chunked (6.1): Transfer-Encoding: ', UNKNOWN_CODINGS, coded)),
      ['chunked twice, in two lines (6.1)', `${get('Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [501]]),
    refused('Ours, because programs disagree on them: no zero before a length (RFC 9110 8.6), no empty coding (RFC 9110 5.6.1.2)',
      ...each('Content-Length: ', ['005', '00'], sized),
      ...each('Transfer-Encoding: ', ODD_CODINGS, coded)),
    refused('Chunks (RFC 9112 7.1), for the same reason',
      ...Object.entries(LINES).flatMap(([what, write]) =>
        Object.entries(ENDS).map(([name, end]): Line => [`${name} after ${what}`, chunked(write(end))])),
      ...each('the chunk size ', SIZES, (size) => chunked(`${size}\r\nabc\r\n0\r\n\r\n`)),
      ...each('the trailer ', FIELD_LINES, (line) => chunked(`0\r\n${line}\r\n\r\n`)),
      ['a chunk that is longer than its size', chunked('3\r\nabcd\r\n0\r\n\r\n')],
      ['a chunk that is shorter than its size', chunked('3\r\nab\r\n0\r\n\r\n')],
      ['a malformed chunk after a legal one, in a later request', `${get()}${chunked('3\r\nabc\r\nz')}`, [200, 400]]),
    refused('Ours: a chunk size has at most 8 digits and, with its extensions, 1 KiB; all of them and the trailers have 16 KiB',
      ...each('the chunk size ', ['000000003', 'fffffffff'], (size) => chunked(`${size}\r\nabc\r\n0\r\n\r\n`)),
      ['a chunk line of 1 byte more than 1 KiB', chunked(`3;${'x'.repeat(1_021)}\r\nabc\r\n0\r\n\r\n`)],
      ['20 KiB of chunk extensions', chunked(`3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`)],
      ['17 KiB of chunk sizes', chunked('1\r\na\r\n'.repeat(6_000))],
      ['17 KiB of trailers', chunked(`0\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`), [431]],
      ['17 KiB of trailers in many lines', chunked(`0\r\n${filler(1_700).join('\r\n')}\r\n\r\n`), [431]]),
    group('Ours: content has at most 64 KiB (RFC 9110 15.5.14)', true, 413,
      ['a byte more than 64 KiB declared', get('Content-Length: 65537')],
      ['a byte more than 64 KiB, all sent', `${get('Content-Length: 65537')}${'x'.repeat(65_537)}`],
      ['a byte more than 64 KiB in chunks', chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`)],
      ['a length that no number can hold', get(`Content-Length: ${'9'.repeat(400)}`)],
      ['a chunk of 4 GiB', chunked('ffffffff\r\n')],
      ['too much content in HTTP/1.0', head('GET /health HTTP/1.0', 'Content-Length: 65537')],
      ['too much content after another request', `${get()}${get('Content-Length: 65537')}`, [200, 413]]),
    group('Ours: a head has less than 16 KiB and at most 100 field lines (RFC 6585 5, RFC 9110 15.5.15)', true, 431,
      ['101 header lines', get(...filler(100))],
      ['1,100 header lines, which some versions of node cut at 1,000', get(...filler(1_099).map((line) => line.slice(0, 8)), 'Host: b')],
      ['a head of 16 KiB', get(`X: ${'x'.repeat(16_384 - get('X: ').length)}`)],
      ['a target of 16 KiB', target(`/${'x'.repeat(16_384)}`), [414]],
      ['a request line of 16 KiB without its end', `GET /${'x'.repeat(20_000)}`, [414]],
      ['16 KiB of empty lines', '\r\n'.repeat(8_192), [414]]),
    refused('Syntax (RFC 9112 2 to 5)',
      ...each('the request line ', REQUEST_LINES, (line) => head(line, host)),
      ...each('the protocol ', PROTOCOLS, (protocol) => head(`GET /health ${protocol}`, host)),
      ...refusedWith(505, each('(RFC 9110 15.6.6) HTTP/', VERSIONS, (version) => head(`GET /health HTTP/${version}`, host))),
      ['HTTP/2.0 and an illegal target', head('GET /a#b HTTP/2.0', host), [505]],
      ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [505]],
      ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00'],
      ['random bytes', '\xff\xfe\x00\x01\r\n\r\n'],
      ['lines that end in a bare line feed', `GET /health HTTP/1.1\n${host}\n\n`],
      ...Object.entries(ENDS).flatMap(([name, end]): Line[] => [
        [`${name} after the request line`, get().replace('\r\n', end)],
        [`${name} after the last field`, get('X: a').replace(/\r\n\r\n$/, `${end}\r\n`)],
        [`${name} after the head`, get().replace(/\r\n$/, `${end}GET / HTTP/1.1\r\n`)],
      ]),
      ...each('the field line ', FIELD_LINES, (line) => get(line)),
      ['white space before the colon', bare(`Host : ${authority}`)],
      ['white space before the first field', bare(` ${host}`)]),
    refused('Ours: one space between the parts of a request line (RFC 9112 3 allows a server more)',
      ...each('the request line ', ['GET  /health HTTP/1.1', 'GET /health  HTTP/1.1'], (line) => head(line, host))),
    group('CONNECT (RFC 9110 9.3.6, 15.6.2)', true, 501,
      ['CONNECT, because the service is not a proxy', target('a.example:80', 'CONNECT')],
      ['CONNECT after other requests', get() + target('[::1]:443', 'CONNECT'), [200, 501]],
      ['CONNECT after the last request is not answered', http10() + target('a.example:80', 'CONNECT'), [200]],
      ...refusedWith(400, each('the target of CONNECT ', ['a', 'a:', ':80', 'a:65536', '[::1]', 'user@a:80', '/health', 'http://a:80', '*'],
        (text) => target(text, 'CONNECT'))),
      ['CONNECT without Host', head('CONNECT a:80 HTTP/1.1'), [400]],
      ['CONNECT with two Hosts', head('CONNECT a:80 HTTP/1.1', host, host), [400]]),
    group('Expect (RFC 9110 10.1.1)', true, 417,
      ['another expectation', get('Expect: tea')],
      ['two expectations', get('Expect: 100-continue', 'Expect: 100-continue')],
      ['an empty expectation', get('Expect:')],
      ...each('Expect: ', EXPECTATIONS, (expectation) => get(`Expect: ${expectation}`)),
      ['100-continue gets the final status at once', get('Content-Length: 5', 'Expect: 100-continue'), [200]],
      ['100-continue in any case, with chunks', get('Transfer-Encoding: chunked', 'Expect: 100-CONTINUE'), [200]],
      ['100-continue, and content that nobody reads', `${get('Content-Length: 5', 'Expect: 100-continue')}12`, [200]],
      ['100-continue, and a malformed chunk that nobody reads', `${get('Transfer-Encoding: chunked', 'Expect: 100-continue')}x\r\n`, [200]],
      ['100-continue for too much content', get('Content-Length: 65537', 'Expect: 100-continue'), [413]],
      ['100-continue on another method', head('POST /health HTTP/1.1', host, 'Content-Length: 1', 'Expect: 100-continue'), [405]]),
    group('The end (RFC 9112 9.3, 9.6)', true, 200,
      ...each('Connection: ', OPTIONS_CLOSE, (options) => get(`Connection: ${options}`)),
      ['Connection: close in one of two lines', get('Connection: a', 'Connection: CLOSE')],
      ['Connection: close and content', `${get('Connection: close', 'Content-Length: 5')}12345`],
      ['HTTP/1.0', http10()],
      ...each('HTTP/1.0 with Connection: ', OPTIONS_OF_HTTP10, (options) => http10(`Connection: ${options}`)),
      ['HTTP/1.0 with content', `${http10('Content-Length: 3', 'Expect: x')}abc`],
      ['HTTP/1.0 without Host', head('GET /health HTTP/1.0'), [200], 'any host'],
      ['HTTP/1.0 in absolute-form without Host: it is that of the target (3.2.2)', head(`GET http://${authority}/health HTTP/1.0`)]),
  ];
}
