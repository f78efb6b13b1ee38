// The rows of the wire: illegal and unusual requests, as bytes. Each is followed, in the same write, by an ordinary
// request. When the connection stays open, that request must be answered. When the connection is closed, it must not
// be answered.
import { status } from './expectation.ts';
import { head, type Part, type Row, type Section, type Subject } from './row.ts';

type Entry = readonly [says: string, send: string, statuses: readonly number[], needs?: 'any host'];
type Table = Readonly<Record<string, readonly Entry[]>>;

export function wire(subject: Subject): Part {
  const probe = head('GET /api/greetings HTTP/1.1', `Host: ${subject.authority}`, 'Connection: close');
  const row = ([says, send, statuses, needs]: Entry, closes: boolean): Row => ({
    says,
    ...(needs && { needs }),
    steps: [{
      send: send + probe,
      replies: [...statuses, ...(closes ? [] : [200])].map((code) => [status(code)]),
      closes,
    }],
  });
  const sections = (title: string, table: Table, closes: boolean): Section[] =>
    Object.entries(table).map(([heading, entries]) => ({ heading: `${title}. ${heading}`, rows: entries.map((entry) => row(entry, closes)) }));
  return {
    name: 'wire',
    sections: [...sections('served, and kept open', kept(subject), false), ...sections('the last reply', closed(subject), true)],
  };
}

// Functions that make the requests of the tables. Without another target they are for /health.
function requestsTo({ authority }: Subject) {
  const host = `Host: ${authority}`;
  const get = (...fields: readonly string[]) => head('GET /health HTTP/1.1', ...fields);
  return {
    host,
    get,
    /** The same with a legal Host. */
    getHere: (...fields: readonly string[]) => get(host, ...fields),
    target: (text: string, method = 'GET') => head(`${method} ${text} HTTP/1.1`, host),
    chunked: (content: string) => get(host, 'Transfer-Encoding: chunked') + content,
  };
}

const filler = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: ${i}`);

/** Requests that are served, after which the connection stays open. */
function kept(subject: Subject): Table {
  const { authority, isSecure } = subject;
  const { host, get, getHere, target, chunked } = requestsTo(subject);
  const named = (says: string, value: string): Entry => [says, get(`Host: ${value}`), [200], 'any host'];
  return {
    'Host (RFC 9112 3.2, RFC 3986 3.2.2)': [
      named('a registered name', 'example.com'),
      named('a registered name with a port', 'example.com:8080'),
      named('port 0', 'a:0'),
      named('port 65535', 'a:65535'),
      named('underscores, as between containers', 'my_service_1'),
      named('percent-encoded and sub-delims of a registered name', "a%20b!$&'()*+;=~"),
      named('an IPv4 address', '127.0.0.1:80'),
      named('an IPv6 address in brackets', '[::1]'),
      named('an IPv6 address with a port', '[2001:db8::7f]:8080'),
      ['white space around Host, which is not part of it', get(`Host: \t ${authority} \t`), [200]],
      ['the field name in any case', get(`hOST: ${authority}`), [200]],
      ['other field names of the same lengths as those that are checked', getHere('From: b', 'Accept: *', 'Accept-Charset: c', 'If-Modified-Since: d', 'Referer: e'), [200]],
      ['values that are names of fields', getHere('X: host', 'Y: content-length', 'Z: transfer-encoding'), [200]],
    ],
    'The request-target (RFC 9112 3.2)': [
      ['origin-form', target('/health'), [200]],
      ['an empty query', target('/health?'), [200]],
      ['every character of a path', target("/az09-._~!$&'()*+,;=:@/%7E%2f"), [404]],
      ['what browsers and curl send in a query without encoding', target('/health?{}|^"<>`[]\'\\'), [200]],
      ['absolute-form', target(`http://${authority}/health`), [200]],
      ['absolute-form, in any case', target(`${isSecure ? 'HTTPS' : 'HTTP'}://${authority.toUpperCase()}/health?x=1`), [200]],
      ...([['http://a:80', 'A'], ['http://a', 'a:80'], ['http://[::1]:80', '[::1]']] as const).map(([start, value]): Entry =>
        [`${start} with Host: ${value}: the default port is the same (RFC 3986 6.2.3)`, head(`GET ${start}/health HTTP/1.1`, `Host: ${value}`), [200], 'any host']),
      ['absolute-form without a path, which is the root', target(`http://${authority}`), [404]],
      ['absolute-form with a query only', target(`http://${authority}?/health`), [404]],
      ['absolute-form to another method', target(`http://${authority}/health`, 'PUT'), [405]],
      ['asterisk-form with OPTIONS', target('*', 'OPTIONS'), [404]],
    ],
    'Framing (RFC 9112 6)': [
      ['Content-Length: 0', getHere('Content-Length: 0'), [200]],
      ['content of a declared length', `${getHere('Content-Length: 5')}12345`, [200]],
      ['content that looks like a request', `${getHere('Content-Length: 29')}GET /nope HTTP/1.1\r\nHost: a\r\n`, [200]],
      ['chunked content', chunked('3\r\nabc\r\n0\r\n\r\n'), [200]],
      ['no chunks', chunked('0\r\n\r\n'), [200]],
      ['chunk extensions and trailers', chunked('3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n'), [200]],
      ['white space around ; and = in a chunk extension (7.1.1)', chunked('3 ; a\t=  b\r\nabc\r\n0\t;x\r\n\r\n'), [200]],
      ['quoted strings in chunk extensions', chunked('3;a="b \\" ;c";d=""\r\nabc\r\n0\r\n\r\n'), [200]],
      ['a chunk size of eight digits', chunked('00000003\r\nabc\r\n00000000\r\n\r\n'), [200]],
      ['a tab behind the coding', `${getHere('Transfer-Encoding:\tchunked\t')}0\r\n\r\n`, [200]],
      ['chunked in any case', `${getHere('Transfer-Encoding: CHUNKED')}0\r\n\r\n`, [200]],
      ['64 KiB of content', `${getHere('Content-Length: 65536')}${'x'.repeat(65_536)}`, [200]],
      ['64 KiB of content in chunks', chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8000\r\n${'x'.repeat(32_768)}\r\n0\r\n\r\n`), [200]],
      ['content to another method', `${head('POST /health HTTP/1.1', host, 'Content-Length: 2')}{}`, [405]],
      ['content to no path', `${head('POST /nope HTTP/1.1', host, 'Content-Length: 2')}{}`, [404]],
      ['empty lines before a request (2.2)', `\r\n\r\n${getHere()}`, [200]],
    ],
    'Sizes (RFC 6585 5)': [
      ['100 header lines', getHere(...filler(99)), [200]],
      ['almost 16 KiB of headers', getHere(`X: ${'x'.repeat(16_000)}`), [200]],
    ],
    'Versions (RFC 9112 2.3) and order': [
      ['HTTP/1.0 with Connection: keep-alive', head('GET /health HTTP/1.0', host, 'Connection: keep-alive'), [200]],
      ['HTTP/1.2, which is read as HTTP/1.1 (RFC 9110 2.5)', head('GET /health HTTP/1.2', host), [200]],
      ['HTTP/1.9 with chunks', `${head('GET /health HTTP/1.9', host, 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`, [200]],
      ['pipelined requests (9.3.2)', getHere() + target('/nope') + target('/health', 'POST'), [200, 404, 405]],
      ['content between others', `${getHere()}${getHere('Content-Length: 1')}x${target('/nope')}`, [200, 200, 404]],
      ['an expectation in HTTP/1.0, which is ignored (RFC 9110 10.1.1)', head('GET /health HTTP/1.0', host, 'Connection: keep-alive', 'Expect: x'), [200]],
    ],
    'Methods (RFC 9110 9.1): any token is one, under the same rules as all others': [
      ['BREW on a mapped path', target('/health', 'BREW'), [405]],
      ['BREW on a mapped path with a query', target('/api/greetings?name=', 'BREW'), [405]],
      ['BREW on another path', target('/nope', 'BREW'), [404]],
      ['DESCRIBE, a method of RTSP', target('/health', 'DESCRIBE'), [405]],
      ['DESCRIBE on another path, after content', `${getHere('Content-Length: 1')}x${target('/nope', 'DESCRIBE')}`, [200, 404]],
      ['get, in lower case: methods are case-sensitive', target('/health', 'get'), [405]],
      ['BREW in HTTP/1.0', head('BREW /health HTTP/1.0', host, 'Connection: keep-alive'), [405]],
      ['BREW in absolute-form', target(`http://${authority}/health`, 'BREW'), [405]],
      ['BREW after other requests', getHere() + target('/nope') + target('/health', 'BREW'), [200, 404, 405]],
      ['BREW with content', `${head('BREW /health HTTP/1.1', host, 'Content-Length: 1')}x`, [405]],
      ['BREW with chunks', `${head('BREW /health HTTP/1.1', host, 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`, [405]],
      ['PRI, which is also part of the HTTP/2 preface', target('/health', 'PRI'), [405]],
      ["every character of a token", target('/health', "!#$%&'*+-.^_`|~09azAZ"), [405]],
    ],
    'What is ignored': [
      ["Upgrade (RFC 9110 7.8), as Java's HttpClient and curl --http2 send it", getHere('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA'), [200]],
      ['Upgrade with content, which is read by its framing (RFC 9112 6.3)', `${getHere('Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 3')}abc`, [200]],
      ['Upgrade with chunks', `${getHere('Connection: Upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, [200]],
      ['Upgrade in HTTP/1.0', head('GET /health HTTP/1.0', host, 'Connection: keep-alive, upgrade', 'Upgrade: websocket'), [200]],
      ['100-continue without content (RFC 9110 10.1.1)', getHere('Expect: 100-continue'), [200]],
      ['100-continue with Content-Length: 0', getHere('Content-Length: 0', 'Expect: 100-continue'), [200]],
      ['Proxy-Connection, which is in no standard', getHere('Proxy-Connection: close'), [200]],
      ...['Connection: close', 'Content-Length: 5', 'Transfer-Encoding: chunked', 'Host: b'].map((trailer): Entry =>
        [`${trailer} in the trailers (RFC 9110 6.5.1)`, chunked(`0\r\n${trailer}\r\n\r\n`), [200]]),
    ],
  };
}

/** Requests whose reply is the last one on the connection: refused ones, and some that are served. */
function closed(subject: Subject): Table {
  const { authority, isSecure } = subject;
  const { host, get, getHere, target, chunked } = requestsTo(subject);
  return {
    'Host (RFC 9112 3.2): a proxy may have used another host than the service': [
      ['no Host', get(), [400]],
      ['two Hosts, the same', getHere(host), [400]],
      ['two Hosts, different', getHere('Host: b'), [400]],
      ['two Hosts, far apart', getHere(...filler(90), 'host: b'), [400]],
      ['two Hosts in HTTP/1.0', head('GET /health HTTP/1.0', host, host), [400]],
      ['an illegal Host in HTTP/1.0', head('GET /health HTTP/1.0', 'Host: a b'), [400]],
      ...['', 'user@a', 'user:pass@a', 'a/b', 'a?b', 'a#b', 'a,b', 'a, b', 'a b', 'a:', 'a:x', 'a:80:80', 'a:65536', 'a:000080', 'a:-1', ':80',
        'http://a', 'a\\b', '%zz', 'a%2', '"a"', '<a>', '[::1', '::1', '[]', '[1]', '[::g]', '[::1]x', '1[::1]', '[::1]:', '[127.0.0.1]', '[fe80::1%25eth0]', '[v1.a]', 'a\xe9',
      ].map((value): Entry => [`Host: ${printable(value)}`, get(`Host: ${value}`), [400]]),
    ],
    "The request-target (RFC 9112 3.2): a target that a proxy parses differently bypasses the proxy's rules": [
      ['asterisk-form with GET', target('*'), [400]],
      ['authority-form with GET', target('a.example:80'), [400]],
      ['no slash', target('health'), [400]],
      ['a fragment', target('/health#a'), [400]],
      ['a fragment in the query', target('/health?a#b'), [400]],
      ['a backslash', target('/health\\'), [400]],
      ['a malformed percent-encoding in the path', target('/health%2'), [400]],
      ...['"', '<', '>', '[', ']', '^', '`', '{', '|', '}'].flatMap((char): Entry[] => [
        [`${char} in the path`, target(`/health${char}`), [400]],
        [`${char} in the path, with more after it`, target(`/health${char}/b`), [400]],
      ]),
      ['NUL', target('/health\0'), [400]],
      ['a tab', target('/health\t'), [400]],
      ['DEL', target('/health\x7f'), [400]],
      ['bytes outside ASCII', target('/health\xc3\xa9'), [400]],
      ['bytes outside ASCII in the query', target('/api/greetings?name=\xc3\xa9'), [400]],
      ['absolute-form with another authority', target('http://b.example/health'), [400]],
      ['absolute-form with another port', target(`http://${authority.replace(/:\d+$/, '')}:1/health`), [400]],
      ...(isSecure ? [] : [['absolute-form with https, where no TLS is (RFC 9110 7.4)', target(`https://${authority}/health`), [421]] as const]),
      ["absolute-form with the other scheme's default port", head('GET http://a:443/health HTTP/1.1', 'Host: a'), [400]],
      ['absolute-form without Host', head(`GET http://${authority}/health HTTP/1.1`), [400]],
      ['absolute-form with user information', target(`http://user@${authority}/health`), [400]],
      ['absolute-form without an authority', target('http:///health'), [400]],
      ['absolute-form with a fragment', target(`http://${authority}#/health`), [400]],
      ['absolute-form of another scheme', target(`ftp://${authority}/health`), [400]],
      ['absolute-form with a letter before the scheme', target(`xhttp://${authority}/health`), [400]],
      ['a space in the target', target('/health a'), [400]],
    ],
    'Framing (RFC 9112 6): two programs that find different ends of the content allow request smuggling': [
      ['two lengths, the same', `${getHere('Content-Length: 1', 'Content-Length: 1')}x`, [400]],
      ['two lengths, different', `${getHere('Content-Length: 1', 'Content-Length: 2')}x`, [400]],
      ['a list of lengths', `${getHere('Content-Length: 1, 1')}x`, [400]],
      ...['005', '00', '+5', '-5', '5x', '0x5', '5.0', '5 5', '', '1e1'].map(
        (value): Entry => [`Content-Length: ${value}`, `${getHere(`Content-Length: ${value}`)}12345`, [400]],
      ),
      ['both framings', `${getHere('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
      ['both framings the other way round', `${getHere('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`, [400]],
      ...['', 'identity', 'gzip', 'chunked, gzip', ', chunked', 'xchunked', '"chunked"', 'chunked;q=1', '\x0bchunked'].map(
        (value): Entry => [`Transfer-Encoding: ${printable(value)}`, `${getHere(`Transfer-Encoding: ${value}`)}0\r\n\r\n`, [400]],
      ),
      ...[['gzip, chunked'], ['gzip', 'chunked'], ['x;y=z ,\tChunked'], ['chunked', 'chunked']].map((values): Entry => [
        `Transfer-Encoding: ${values.join(' and another line: ')}, which ends in chunked (6.1)`,
        `${getHere(...values.map((value) => `Transfer-Encoding: ${value}`))}0\r\n\r\n`,
        [501],
      ]),
      ['a length and another coding', `${getHere('Content-Length: 5', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`, [400]],
      ['HTTP/1.2 without Host', head('GET /health HTTP/1.2'), [400]],
      ['a transfer encoding in HTTP/1.0', `${head('GET /health HTTP/1.0', host, 'Connection: keep-alive', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
      ...malformedChunks().map(([says, content]): Entry => [says, chunked(content), [400]]),
      ['20 KiB of chunk extensions', chunked(`3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`), [400]],
      ['a malformed chunk after a legal one, in a later request', `${getHere()}${chunked('3\r\nabc\r\nz')}`, [200, 400]],
    ],
    'Content (RFC 9110 15.5.14)': [
      ['a byte more than 64 KiB declared', getHere('Content-Length: 65537'), [413]],
      ['a byte more than 64 KiB, all sent', `${getHere('Content-Length: 65537')}${'x'.repeat(65_537)}`, [413]],
      ['a byte more than 64 KiB in chunks', chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`), [413]],
      ['a length that no number can hold', getHere('Content-Length: 99999999999999999999999'), [413]],
      ['a chunk of 4 GiB', chunked('ffffffff\r\n'), [413]],
      ['too much content after another request', `${getHere()}${getHere('Content-Length: 65537')}`, [200, 413]],
    ],
    'Sizes (RFC 6585 5)': [
      ['101 header lines', getHere(...filler(100)), [431]],
      ['1,100 header lines, which some versions of node cut at 1,000', getHere(...filler(1_099).map((line) => line.slice(0, 8)), 'Host: b'), [431]],
      ['more than 16 KiB of headers', getHere(`X: ${'x'.repeat(16_384)}`), [431]],
      ['a target of 16 KiB (RFC 9110 15.5.15)', target(`/${'x'.repeat(16_384)}`), [414]],
      ['a request line of 16 KiB without its end', `GET /${'x'.repeat(20_000)}`, [414]],
      ['16 KiB of empty lines', '\r\n'.repeat(8_192), [414]],
      ['17 KiB of trailers', chunked(`0\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`), [431]],
    ],
    'Syntax (RFC 9112 2 to 5)': [
      ['no version', 'GET /health\r\n\r\n', [400]],
      ['HTTP/0.9', head('GET /health HTTP/0.9', host), [505]],
      ['HTTP/2.0', head('GET /health HTTP/2.0', host), [505]],
      ['HTTP/2.0 and an illegal target', head('GET /a#b HTTP/2.0', host), [505]],
      ['HTTP/3.0', head('GET /health HTTP/3.0', host), [505]],
      ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [505]],
      ['a version that is not a number', head('GET /health HTTP/x', host), [400]],
      ['another protocol', head('GET /health HTCPCP/1.0', host), [400]],
      ["another protocol, which node's parser knows", head('GET /health RTSP/1.1', host), [400]],
      ['two spaces', head('GET  /health HTTP/1.1', host), [400]],
      ['two spaces in front of the version', head('GET /health  HTTP/1.1', host), [400]],
      ['a tab instead of a space', head('GET\t/health HTTP/1.1', host), [400]],
      ['lines that end in a bare line feed', `GET /health HTTP/1.1\n${host}\n\n`, [400]],
      ['white space before the colon', get(`Host : ${authority}`), [400]],
      ['white space before the first field', get(` ${host}`), [400]],
      ['a folded line', getHere('X: a', ' b'), [400]],
      ['a line without a colon', getHere('X'), [400]],
      ['a field without a name', getHere(': x'), [400]],
      ['a field name that is not a token', getHere('X y: z'), [400]],
      ['NUL in a value', getHere('X: a\0b'), [400]],
      ['a bare carriage return in a value', getHere('X: a\rb'), [400]],
      ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', [400]],
      ['random bytes', '\xff\xfe\x00\x01\r\n\r\n', [400]],
      ['an incomplete request line', 'BREW\r\n', [400]],
    ],
    'Methods (RFC 9110 9.1)': [
      ['a method that is not a token', target('/health', 'BR(W'), [400]],
      ['a known method with a line feed in it', getHere().replace('GET', 'G\nET'), [400]],
      ['BREW without Host', head('BREW /health HTTP/1.1'), [400]],
      ['BREW with a field of 16 KiB', head('BREW /health HTTP/1.1', host, `X: ${'x'.repeat(16 * 1024)}`), [431]],
    ],
    'CONNECT, Expect (RFC 9110 9.3.6, 15.6.2, 10.1.1)': [
      ['CONNECT, because the service is not a proxy', target('a.example:80', 'CONNECT'), [501]],
      ['CONNECT after other requests', getHere() + target('a.example:80', 'CONNECT'), [200, 501]],
      ['CONNECT after the last request is not answered', head('GET /health HTTP/1.0', host) + target('a.example:80', 'CONNECT'), [200]],
      ['CONNECT without a port', target('a.example', 'CONNECT'), [400]],
      ['CONNECT in origin-form', target('/health', 'CONNECT'), [400]],
      ['CONNECT without Host', head('CONNECT a:80 HTTP/1.1'), [400]],
      ['CONNECT with two Hosts', head('CONNECT a:80 HTTP/1.1', host, host), [400]],
      ['100-continue gets the final status at once', getHere('Content-Length: 5', 'Expect: 100-continue'), [200]],
      ['100-continue in any case, with chunks', getHere('Transfer-Encoding: chunked', 'Expect: 100-Continue'), [200]],
      ['100-continue for too much content', getHere('Content-Length: 65537', 'Expect: 100-continue'), [413]],
      ['100-continue on another method', head('POST /health HTTP/1.1', host, 'Content-Length: 1', 'Expect: 100-continue'), [405]],
      ['another expectation', getHere('Expect: tea'), [417]],
      ['100-continue and another', getHere('Expect: 100-continue, tea'), [417]],
      ['two expectations', getHere('Expect: 100-continue', 'Expect: 100-continue'), [417]],
      ['an empty expectation', getHere('Expect:'), [417]],
    ],
    'The end (RFC 9112 9.6)': [
      ['Connection: close', getHere('Connection: close'), [200]],
      ['HTTP/1.0', head('GET /health HTTP/1.0', host), [200]],
      ['HTTP/1.0 without Host', head('GET /health HTTP/1.0'), [200], 'any host'],
      ['HTTP/1.0 in absolute-form without Host: it is that of the target (3.2.2)', head(`GET http://${authority}/health HTTP/1.0`), [200]],
      ['HTTP/1.0 in absolute-form with an illegal authority', head('GET http://a@b/health HTTP/1.0'), [400]],
    ],
  };
}

// From public lists of requests that servers read in different ways: CVE-2025-22871, CVE-2025-55315, CVE-2026-2332, and the grammar
// of RFC 9112 7.1. Line ends of every wrong kind, in every place where a line ends.
function malformedChunks(): [says: string, content: string][] {
  const lines: readonly (readonly [what: string, write: (end: string) => string])[] = [
    ['a size', (end) => `3${end}abc\r\n0\r\n\r\n`],
    ['an extension', (end) => `3;a=b${end}abc\r\n0\r\n\r\n`],
    ['a quoted extension', (end) => `3;a="b${end}"\r\nabc\r\n0\r\n\r\n`],
    ['data', (end) => `3\r\nabc${end}0\r\n\r\n`],
    ['the last size', (end) => `3\r\nabc\r\n0${end}\r\n`],
    ['a trailer', (end) => `0\r\nX: y${end}\r\n`],
    ['the trailers', (end) => `0\r\nX: y\r\n${end}GET / HTTP/1.1\r\n`],
  ];
  const ends: readonly (readonly [name: string, bytes: string])[] = [['LF', '\n'], ['CR', '\r'], ['CR CR LF', '\r\r\n'], ['LF CR', '\n\r'], ['CR and a space', '\r '], ['NUL', '\0']];
  return [
    ...lines.flatMap(([what, write]) => ends.map(([name, bytes]): [string, string] => [`${name} behind ${what}`, write(bytes)])),
    ...['', 'x', '-3', '+3', ' 3', '3 ', '3\t', '0x3', '3.0', '3,', '000000003', 'fffffffff', '3;', '3;=x', '3;a=', '3;;a', '3;a=x"y"', '3;a="x', '3;a="x"y', '3;a=x y', '3;a b', '3;\x7f'].map(
      (size): [string, string] => [`the chunk size ${printable(size)}`, `${size}\r\nabc\r\n0\r\n\r\n`],
    ),
    ['a chunk that is longer than its size', '3\r\nabcd\r\n0\r\n\r\n'],
    ['a chunk that is shorter than its size', '3\r\nab\r\n0\r\n\r\n'],
    ...[' X: y', 'X', 'X : y', ': y', 'X: a\0b'].map((trailer): [string, string] => [`the trailer ${printable(trailer)}`, `0\r\n${trailer}\r\n\r\n`]),
    ['a line of a chunk that has more than 1 KiB', `3;${'x'.repeat(1_100)}\r\nabc\r\n0\r\n\r\n`],
    ['17 KiB of chunk sizes', '1\r\na\r\n'.repeat(6_000)],
  ];
}

function printable(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
}
