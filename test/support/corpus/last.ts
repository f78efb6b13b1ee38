// Requests whose reply is the last one on the connection: refused ones, by the rule that they break, and some that are served.
import { each, filler, group, head, refused, requestsTo, type Group } from './entry.ts';

const ILLEGAL_HOSTS = [
  'user@a', 'a/b', 'a#b', 'a b', 'a\\b', 'a%2', '"a"', 'a\xe9', '::1', '[]', '[::g]', '[::1', '1[::1]', '[::1]1', '[::1].', '[127.0.0.1]',
  '[fe80::1%25eth0]', '[:::1]:80', '[v1.a]',
];
const HOSTS_WITH_ILLEGAL_PORTS = ['a:', 'a:x', 'a:-1', 'a:0x1f', 'a:80:80', 'a:65536', 'a:000080', 'user:pass@a', 'http://a', '[::1]:'];
const TARGETS_WITHOUT_FORM = [
  'health', 'a.example:80', '\\health', '*', '**', '?', '.', '#/health', 'http:/a/health', 'http:a/health', 'http', '://a/health',
  'xhttp://a/health', 'httpss://a/health', 'ftp://a/health',
];
const TARGETS_WITH_ILLEGAL_CHARACTERS = ['/health\\', '/health%', '/health%2z', '/health"', '/health[', '/health|/b', 'http://a/health%'];
const LENGTHS = ['', '+5', '-5', '5x', '05x', 'x05', '0x5', '5.0', '5 5', '1e1', '\xb2'];
const CODINGS = ['identity', 'gzip', 'chunked, gzip', 'xchunked', 'chunkedx', '"chunked"', 'chunked;a=b', '\xa0chunked', 'gzip chunked'];
const CODINGS_WITH_NOTHING = ['', ',', 'chunked,', ',chunked', ', \t,chunked', 'gzip, chunked,', 'gzip,,chunked', 'gzip, \t,chunked,'];
const UNKNOWN_CODINGS = ['gzip, chunked', 'gzip,chunked', 'x;y=z ,\tChunked', 'x, y, chunked', '\xe9,chunked', 'chunkedx,chunked'];
const CHUNKED_AGAIN = ['chunked, chunked', 'Chunked\t,chunked', 'gzip, chunked, chunked', 'chunked, gzip ,\tCHUNKED'];
const EXPECTATIONS = ['tea', '100-continue, tea', 'tea,100-continue', ', ,x', '100-continue;a', '100', 'x100-continue', '100-continue x'];
const ILLEGAL_SIZES = [
  '', 'x', '-3', '+3', ' 3', '3 ', '3\t', '3 1', '0x3', '3.0', '3,', '3g', '3,a', '3=a', ';a', '3 x;a', 'x3;a', 'x000000003',
];
const ILLEGAL_EXTENSIONS = [
  ';', ';;a', ';a;', ';=', ';=x', ';a=', ';a=b=c', '; a b', ';a ', ';"a"=b', ';a="', ';a="\\"', ';a="b"c', ';a=b"c"', ';a=\xe9',
  ';a,b', ' \t;',
];
const EXTENSIONS_WITH_SPACE = [' ;a', ';\ta', ';a =b', ';a= b', ';a=b ;c', ';a="b"\t;c'];
const EXTENSIONS_WITH_CONTROLS = [';a="\x7f"', ';a="\0"', ';a="\\\x7f"', ';\x7f'];
const NO_FIELD_LINES = ['X', ':', ': x', 'X y: z', 'X;: a', '\xe9: a', 'X y : z', '\xa0: a'];
const SPACES_BEFORE_COLON = ['X : a', 'X\t: a', 'X \t : a'];
const FOLDED_LINES = [' X: a', '\tX: a', 'X: a\r\n b', ' : a', ' '];
const FIELD_LINES_WITH_CONTROLS = ['X\0: a', 'X: a\0b', 'X: a\x7f'];
const FIELD_LINES_WITH_ENDS = ['X: a\rb', 'X: a\nb'];
const NO_TRAILERS = ['Connection: close', 'connection:', 'Content-Length: 5', 'Transfer-Encoding: chunked', 'HOST: b'];
const REQUEST_LINES = [
  '\t', 'GET', 'GET /health', 'GET HTTP/1.1', ' /health HTTP/1.1', ' GET /health HTTP/1.1', 'GET /health HTTP/1.1 ',
  'GET\t/health HTTP/1.1', 'GET /health\tHTTP/1.1', 'GET /health a HTTP/1.1', 'BR(W /health HTTP/1.1', 'GET  /health HTTP/2.0',
  'GET  /health HTTP/1.1', 'GET /health  HTTP/1.1',
];
const PROTOCOLS = ['http/1.1', 'HTTP/11', 'HTTP/1.', 'HTTP/1.1.1', 'HTTP/x', 'HTTP/1.11', 'HTTP/01.1', 'HTTP1.1', 'RTSP/1.1', 'ICE/1.1'];
const VERSIONS = ['0.0', '0.1', '0.9', '2.0', '2.1', '3.0', '9.9'];
const OPTIONS_CLOSE = ['close', 'Close', 'x , close', ',,close,,', 'x,\tclose\t ,y', 'keep-alive, close', 'close, upgrade'];
const OPTIONS_OF_HTTP10 = ['', 'x', 'keepalive', 'keep-alive x', 'no-keep-alive', 'keep-alive;x', 'close, keep-alive'];

// From public lists of requests that servers read in different ways: CVE-2025-22871, CVE-2025-55315, CVE-2026-2332, and the grammar
// of RFC 9112 7.1. Line ends of every wrong kind, in every place where a line ends.
const ENDS = { 'LF': '\n', 'CR': '\r', 'CR CR LF': '\r\r\n', 'LF CR': '\n\r', 'CR and a space': '\r ' };
const CHUNK_LINES: Readonly<Record<string, (end: string) => string>> = {
  'a size': (end) => `3${end}abc\r\n0\r\n\r\n`,
  'an extension': (end) => `3;a=b${end}abc\r\n0\r\n\r\n`,
  'a quoted extension': (end) => `3;a="b${end}"\r\nabc\r\n0\r\n\r\n`,
  'the last size': (end) => `3\r\nabc\r\n0${end}\r\n`,
  'a trailer': (end) => `0\r\nX: y${end}\r\n`,
  'the trailers': (end) => `0\r\nX: y\r\n${end}GET / HTTP/1.1\r\n`,
};

/** The groups for a server with this authority. */
export function last(authority: string): Group[] {
  const { host, bare, get, target, http10, chunked } = requestsTo(authority);
  const coded = (coding: string) => `${get(`Transfer-Encoding: ${coding}`)}0\r\n\r\n`;
  const sized = (length: string) => `${get(`Content-Length: ${length}`)}12345`;
  const named = (name: string) => bare(`Host: ${name}`);
  const ofSize = (size: string) => chunked(`${size}\r\nabc\r\n0\r\n\r\n`);
  const withTrailer = (line: string) => chunked(`0\r\n${line}\r\n\r\n`);
  const lines: Readonly<Record<string, (end: string) => string>> = {
    'the request line': (end) => get().replace('\r\n', end),
    'the last field': (end) => get('X: a').replace(/\r\n\r\n$/, `${end}\r\n`),
    'the head': (end) => get().replace(/\r\n$/, `${end}GET / HTTP/1.1\r\n`),
    ...Object.fromEntries(Object.entries(CHUNK_LINES).map(([what, write]) => [what, (end) => chunked(write(end))])),
  };
  return [
    refused('lineEnd',
      ...Object.entries(lines).flatMap(([what, write]) =>
        Object.entries(ENDS).map(([name, end]) => [`${name} after ${what}`, write(end)] as const)),
      ['lines that end in a bare line feed', `GET /health HTTP/1.1\n${host}\n\n`],
      ...each('the field line ', FIELD_LINES_WITH_ENDS, (line) => get(line)),
      ...each('the trailer ', FIELD_LINES_WITH_ENDS, withTrailer)),
    refused('controlCharacter',
      ...Object.entries(lines).map(([what, write]) => [`NUL after ${what}`, write('\0')] as const),
      ...each('the target ', ['/health\0', '/health\x7f'], target),
      ...each('the field line ', FIELD_LINES_WITH_CONTROLS, (line) => get(line)),
      ...each('the trailer ', FIELD_LINES_WITH_CONTROLS, withTrailer),
      ...each('the chunk extensions ', EXTENSIONS_WITH_CONTROLS, (extension) => ofSize(`3${extension}`)),
      ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00'],
      ['random bytes', '\xff\xfe\x00\x01\r\n\r\n']),
    refused('requestLineForm',
      ...each('the request line ', REQUEST_LINES, (line) => head(line, host)),
      ...each('the protocol ', PROTOCOLS, (protocol) => head(`GET /health ${protocol}`, host))),
    refused('requestLineNotAscii', ...each('the target ', ['/health\xc3\xa9', '/health?\xc3\xa9'], target)),
    refused('requestLineTooLong',
      ['a target of 16 KiB', target(`/${'x'.repeat(16_384)}`)],
      ['a request line of 16 KiB without its end', `GET /${'x'.repeat(20_000)}`],
      ['16 KiB of empty lines', '\r\n'.repeat(8_192)]),
    refused('versionUnsupported',
      ...each('HTTP/', VERSIONS, (version) => head(`GET /health HTTP/${version}`, host)),
      ['HTTP/2.0 and an illegal target', head('GET /a#b HTTP/2.0', host)],
      ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']),
    refused('targetForm', ...each('the target ', TARGETS_WITHOUT_FORM, target)),
    refused('targetCharacter',
      ['a fragment', target('/health#a')],
      ['a fragment in the query', target('/health?a#b')],
      ...each('the target ', TARGETS_WITH_ILLEGAL_CHARACTERS, target)),
    refused('connectUnsupported',
      ['CONNECT, because the service is not a proxy', target('a.example:80', 'CONNECT')],
      ['CONNECT after other requests', get() + target('[::1]:443', 'CONNECT'), [200]],
      ['CONNECT without Host', head('CONNECT a:80 HTTP/1.1')],
      ['CONNECT with a target that is not a host and a port', target('/health', 'CONNECT')]),
    refused('fieldLine', ...each('the field line ', NO_FIELD_LINES, (line) => get(line))),
    refused('fieldFolded',
      ...each('the field line ', FOLDED_LINES, (line) => get(line)),
      ['white space before the first field', bare(` ${host}`)]),
    refused('spaceBeforeColon',
      ...each('the field line ', SPACES_BEFORE_COLON, (line) => get(line)),
      ['white space before the colon of Host', bare(`Host : ${authority}`)]),
    refused('tooManyFieldLines',
      ['101 header lines', get(...filler(100))],
      ['1,100 header lines, which some versions of node cut at 1,000', get(...filler(1_099).map((line) => line.slice(0, 8)), 'Host: b')]),
    refused('headTooLong', ['a head of 16 KiB', get(`X: ${'x'.repeat(16_384 - get('X: ').length)}`)]),
    refused('hostMissing',
      ['no Host', bare()],
      ['no Host in HTTP/1.2, to any method', head('BREW /health HTTP/1.2')],
      ['absolute-form without Host', head(`GET http://${authority}/health HTTP/1.1`)]),
    refused('hostTwice',
      ['two Hosts, the same', get(host)],
      ['two Hosts, different', get('Host: b')],
      ['two Hosts, far apart', get(...filler(90), 'host: b')],
      ['two Hosts in HTTP/1.0', http10(host)],
      ...each('Host: ', ['a, b', 'a,b', ','], named)),
    refused('hostEmpty', ...each('Host: ', ['', ':80'], named)),
    refused('hostIllegal',
      ...each('Host: ', ILLEGAL_HOSTS, named),
      ['an illegal Host in HTTP/1.0', head('GET /health HTTP/1.0', 'Host: a b')],
      ['absolute-form with an illegal authority in HTTP/1.0', head('GET http://a@b/health HTTP/1.0')]),
    refused('hostPort', ...each('Host: ', HOSTS_WITH_ILLEGAL_PORTS, named)),
    refused('hostMismatch',
      ['absolute-form with another authority', target('http://b.example/health')],
      ['absolute-form with another port', target(`http://${authority.replace(/:\d+$/, '')}:1/health`)],
      ["absolute-form with the other scheme's default port", head('GET http://a:443/health HTTP/1.1', 'Host: a')],
      ['absolute-form with a fragment', target(`http://${authority}#/health`)],
      ['absolute-form with user information', target(`http://user@${authority}/health`)],
      ['absolute-form without an authority', target('http:///health')]),
    refused('httpsWithoutTls', ['absolute-form with https, where no TLS is', target(`https://${authority}/health`), [], 'no TLS']),
    refused('lengthAndCoding',
      ['both framings', `${get('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
      ['both framings the other way round', `${get('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`],
      ['a length and another coding', `${get('Content-Length: 5', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`]),
    refused('lengthTwice',
      ['two lengths, the same', `${get('Content-Length: 1', 'Content-Length: 1')}x`],
      ...each('Content-Length: ', ['1, 1', '1,2'], sized)),
    refused('lengthIllegal', ...each('Content-Length: ', LENGTHS, sized)),
    refused('lengthLeadingZero', ...each('Content-Length: ', ['005', '00'], sized)),
    refused('codingInHttp10',
      ['a transfer encoding in HTTP/1.0', `${http10('Connection: keep-alive', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
      ['two codings in HTTP/1.0', `${http10('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`]),
    refused('codingEmpty', ...each('Transfer-Encoding: ', CODINGS_WITH_NOTHING, coded)),
    refused('codingNotChunked', ...each('Transfer-Encoding: ', CODINGS, coded)),
    refused('chunkedTwice',
      ...each('Transfer-Encoding: ', CHUNKED_AGAIN, coded),
      ['chunked in each of two lines', `${get('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`]),
    refused('codingUnsupported',
      ...each('Transfer-Encoding: ', UNKNOWN_CODINGS, coded),
      ['two codings, in two lines', `${get('Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')}0\r\n\r\n`]),
    refused('contentTooLong',
      ['a byte more than 64 KiB declared', get('Content-Length: 65537')],
      ['a byte more than 64 KiB, all sent', `${get('Content-Length: 65537')}${'x'.repeat(65_537)}`],
      ['a byte more than 64 KiB in chunks', chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`)],
      ['a length that no number can hold', get(`Content-Length: ${'9'.repeat(400)}`)],
      ['a chunk of 4 GiB', chunked('ffffffff\r\n')],
      ['too much content in HTTP/1.0', head('GET /health HTTP/1.0', 'Content-Length: 65537')],
      ['too much content after another request', `${get()}${get('Content-Length: 65537')}`, [200]],
      ['100-continue for too much content', get('Content-Length: 65537', 'Expect: 100-continue')]),
    refused('expectationUnknown',
      ...each('Expect: ', EXPECTATIONS, (expectation) => get(`Expect: ${expectation}`)),
      ['an unknown expectation in the second of two lines', get('Expect: 100-continue', 'Expect: tea')]),
    refused('chunkSize',
      ...each('the chunk size ', ILLEGAL_SIZES, ofSize),
      ['a malformed chunk after a legal one, in a later request', `${get()}${chunked('3\r\nabc\r\nz\r\n')}`, [200]]),
    refused('chunkSizeTooLong', ...each('the chunk size ', ['000000003', 'fffffffff'], ofSize)),
    refused('chunkExtension', ...each('the chunk extensions ', ILLEGAL_EXTENSIONS, (extension) => ofSize(`3${extension}`))),
    refused('spaceInChunkExtension', ...each('the chunk extensions ', EXTENSIONS_WITH_SPACE, (extension) => ofSize(`3${extension}`))),
    refused('chunkLineTooLong', ['a chunk line of 1 byte more than 1 KiB', ofSize(`3;${'x'.repeat(1_021)}`)]),
    refused('chunkFramingTooLong', ['17 KiB of chunk sizes', chunked('1\r\na\r\n'.repeat(6_000))]),
    refused('chunkData',
      ...Object.entries({ ...ENDS, NUL: '\0' }).map(([name, end]) => [`${name} after data`, chunked(`3\r\nabc${end}0\r\n\r\n`)] as const),
      ['a chunk that is longer than its size', chunked('3\r\nabcd\r\n0\r\n\r\n')],
      ['a chunk that is shorter than its size', chunked('3\r\nab\r\n0\r\n\r\n')]),
    refused('trailerLine', ...each('the trailer ', [...NO_FIELD_LINES, ...SPACES_BEFORE_COLON, ...FOLDED_LINES], withTrailer)),
    refused('trailerNotAllowed', ...each('the trailer ', NO_TRAILERS, (line) => withTrailer(`X: y\r\n${line}`))),
    refused('trailersTooLong',
      ['17 KiB of trailers', withTrailer(`X: ${'x'.repeat(17_000)}`)],
      ['17 KiB of trailers in many lines', withTrailer(filler(1_700).join('\r\n'))]),
    group('100-continue (RFC 9110 10.1.1) gets the final status at once', true, 200,
      ['100-continue with content', get('Content-Length: 5', 'Expect: 100-continue')],
      ['100-continue in any case, with chunks', get('Transfer-Encoding: chunked', 'Expect: 100-CONTINUE')],
      ['100-continue among empty members (5.6.1.2)', get('Content-Length: 5', 'Expect: , 100-continue\t,,')],
      ['100-continue, and content that nobody reads', `${get('Content-Length: 5', 'Expect: 100-continue')}12`],
      ['100-continue, and a malformed chunk that nobody reads', `${get('Transfer-Encoding: chunked', 'Expect: 100-continue')}x\r\n`],
      ['100-continue on another method', head('POST /health HTTP/1.1', host, 'Content-Length: 1', 'Expect: 100-continue'), [405]]),
    group('The end (RFC 9112 9.3, 9.6)', true, 200,
      ...each('Connection: ', OPTIONS_CLOSE, (options) => get(`Connection: ${options}`)),
      ['Connection: close in one of two lines', get('Connection: a', 'Connection: CLOSE')],
      ['HTTP/1.0', http10()],
      ...each('HTTP/1.0 with Connection: ', OPTIONS_OF_HTTP10, (options) => http10(`Connection: ${options}`)),
      ['HTTP/1.0 with content', `${http10('Content-Length: 3', 'Expect: x')}abc`],
      ['HTTP/1.0 without Host', head('GET /health HTTP/1.0'), [200], 'any host'],
      ['HTTP/1.0 in absolute-form without Host: it is that of the target (3.2.2)', head(`GET http://${authority}/health HTTP/1.0`)],
      ['CONNECT after the last request is not answered', http10() + target('a.example:80', 'CONNECT')]),
  ];
}
