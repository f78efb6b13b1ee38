// The rows of the wire: illegal and unusual requests, as bytes. Each is followed, in the same write, by an ordinary
// request. When the connection stays open, that request must be answered. When the connection is closed, it must not
// be answered.
import * as exact from './exact.ts';
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
      exact: statuses.map((code, i) => exactReply(code, closes && i === statuses.length - 1)).join('') + (closes ? '' : exact.greeting('Hello, World!')),
    }],
  });
  const sections = (title: string, table: Table, closes: boolean): Section[] =>
    Object.entries(table).map(([heading, entries]) => ({ heading: `${title}. ${heading}`, rows: entries.map((entry) => row(entry, closes)) }));
  return {
    name: 'wire',
    sections: [...sections('served, and kept open', kept(subject), false), ...sections('the last reply', closed(subject), true)],
  };
}

function exactReply(code: number, isLast: boolean): string {
  const connection = isLast ? 'close' : 'keep-alive';
  return code === 200 ? exact.healthy(connection) : exact.empty(code, connection);
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
  const { authority } = subject;
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
      ['what browsers and curl send in a query without encoding', target('/health?{}|^"<>`[]\''), [200]],
      ['absolute-form', target(`http://${authority}/health`), [200]],
      ['absolute-form with https, in any case', target(`HTTPS://${authority.toUpperCase()}/health?x=1`), [200]],
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
      ['pipelined requests (9.3.2)', getHere() + target('/nope') + target('/health', 'POST'), [200, 404, 405]],
      ['content between others', `${getHere()}${getHere('Content-Length: 1')}x${target('/nope')}`, [200, 200, 404]],
      ['an expectation in HTTP/1.0, which is ignored (RFC 9110 10.1.1)', head('GET /health HTTP/1.0', host, 'Connection: keep-alive', 'Expect: x'), [200]],
      ['Upgrade without Connection: upgrade is ignored', getHere('TE: trailers'), [200]],
    ],
  };
}

/** Requests whose reply is the last one on the connection: refused ones, and some that are served. */
function closed(subject: Subject): Table {
  const { authority } = subject;
  const { host, get, getHere, target, chunked } = requestsTo(subject);
  const brew = (...fields: readonly string[]) => head('BREW /health HTTP/1.1', ...fields);
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
      ['a backslash in the query', target('/health?\\'), [400]],
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
      ...['005', '00', '+5', '-5', '5x', '0x5', '5.0', '5 5', '', '1e1', '99999999999999999999999'].map(
        (value): Entry => [`Content-Length: ${value}`, `${getHere(`Content-Length: ${value}`)}12345`, [400]],
      ),
      ['both framings', `${getHere('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
      ['both framings the other way round', `${getHere('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`, [400]],
      ...['', 'identity', 'gzip', 'gzip, chunked', 'chunked, gzip', 'chunked, chunked', 'xchunked', '"chunked"', 'chunked;q=1', '\x0bchunked'].map(
        (value): Entry => [`Transfer-Encoding: ${printable(value)}`, `${getHere(`Transfer-Encoding: ${value}`)}0\r\n\r\n`, [400]],
      ),
      ['two transfer encodings', `${getHere('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
      ['a transfer encoding in HTTP/1.0', `${head('GET /health HTTP/1.0', host, 'Connection: keep-alive', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
      ['a chunk size that is not a number', chunked('x\r\nabc\r\n0\r\n\r\n'), [400]],
      ['a negative chunk size', chunked('-3\r\nabc\r\n0\r\n\r\n'), [400]],
      ['a chunk that is longer than its size', chunked('3\r\nabcd\r\n0\r\n\r\n'), [400]],
      ['a chunk size with a bare line feed', chunked('3\nabc\r\n0\r\n\r\n'), [400]],
      ['20 KiB of chunk extensions', chunked(`3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`), [400]],
      ['a malformed trailer', chunked('0\r\n X: y\r\n\r\n'), [400]],
      ['a malformed chunk after a legal one, in a later request', `${getHere()}${chunked('3\r\nabc\r\nz')}`, [200, 400]],
    ],
    'Content (RFC 9110 15.5.14)': [
      ['a byte more than 64 KiB declared', getHere('Content-Length: 65537'), [413]],
      ['a byte more than 64 KiB, all sent', `${getHere('Content-Length: 65537')}${'x'.repeat(65_537)}`, [413]],
      ['a byte more than 64 KiB in chunks', chunked(`8000\r\n${'x'.repeat(32_768)}\r\n8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`), [413]],
      ['too much content after another request', `${getHere()}${getHere('Content-Length: 65537')}`, [200, 413]],
    ],
    'Sizes (RFC 6585 5)': [
      ['101 header lines', getHere(...filler(100)), [431]],
      ['1,100 header lines, which some versions of node cut at 1,000', getHere(...filler(1_099).map((line) => line.slice(0, 8)), 'Host: b'), [431]],
      ['more than 16 KiB of headers', getHere(`X: ${'x'.repeat(16_384)}`), [431]],
      ['a target of 16 KiB', target(`/${'x'.repeat(16_384)}`), [431]],
      ['17 KiB of trailers', chunked(`0\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`), [431]],
    ],
    'Syntax (RFC 9112 2 to 5)': [
      ['no version', 'GET /health\r\n\r\n', [505]],
      ['HTTP/0.9', head('GET /health HTTP/0.9', host), [505]],
      ['HTTP/1.2', head('GET /health HTTP/1.2', host), [505]],
      ['HTTP/2.0', head('GET /health HTTP/2.0', host), [505]],
      ['HTTP/2.0 and an illegal target', head('GET /a#b HTTP/2.0', host), [505]],
      ['HTTP/3.0', head('GET /health HTTP/3.0', host), [505]],
      ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [505]],
      ['a version that is not a number', head('GET /health HTTP/x', host), [400]],
      ['another protocol', head('GET /health HTCPCP/1.0', host), [400]],
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
    "Methods that node's parser does not know (RFC 9110 9.1), under the same rules as all others": [
      ['BREW on a mapped path', target('/health', 'BREW'), [405]],
      ['BREW on a mapped path with a query', target('/api/greetings?name=', 'BREW'), [405]],
      ['BREW on another path', target('/nope', 'BREW'), [404]],
      ['DESCRIBE, a method of RTSP', target('/health', 'DESCRIBE'), [405]],
      ['DESCRIBE on another path, after content', `${getHere('Content-Length: 1')}x${target('/nope', 'DESCRIBE')}`, [200, 404]],
      ['BREW with a field of 16 KiB', brew(host, `X: ${'x'.repeat(16 * 1024)}`), [400]],
      ['get, in lower case: methods are case-sensitive', target('/health', 'get'), [405]],
      ['BREW in HTTP/1.0', head('BREW /health HTTP/1.0', host), [405]],
      ['BREW in absolute-form', target(`http://${authority}/health`, 'BREW'), [405]],
      ['BREW after other requests', getHere() + target('/nope') + target('/health', 'BREW'), [200, 404, 405]],
      ['BREW after content', `${getHere('Content-Length: 1')}x${target('/health', 'BREW')}`, [200, 405]],
      ['BREW with an illegal target', target('/health#a', 'BREW'), [400]],
      ['BREW with another authority than Host', target('http://b.example/health', 'BREW'), [400]],
      ['BREW without Host', brew(), [400]],
      ['BREW with two Hosts', brew(host, host), [400]],
      ['BREW with an illegal Host', brew('Host: a b'), [400]],
      ['BREW with both framings', brew(host, 'Content-Length: 5', 'Transfer-Encoding: chunked'), [400]],
      ['BREW with white space before a colon', brew(host, 'X : y'), [400]],
      ['BREW with a line that ends in a bare line feed', `BREW /health HTTP/1.1\r\n${host}\nX: y\r\n\r\n`, [400]],
      ['BREW with an incomplete head', `BREW /health HTTP/1.1\r\n${host}\r\n`, [400]],
      ['BREW in another version', head('BREW /health HTTP/2.0', host), [505]],
      ['a method that is not a token', target('/health', 'BR(W'), [400]],
      ['a known method with a line feed in it', getHere().replace('GET', 'G\nET'), [400]],
      ['PRI, which is part of the HTTP/2 preface', target('/health', 'PRI'), [400]],
    ],
    'CONNECT, Upgrade, Expect (RFC 9110 9.3.6, 15.6.2, 7.8, 10.1.1)': [
      ['CONNECT, because the service is not a proxy', target('a.example:80', 'CONNECT'), [501]],
      ['CONNECT after other requests', getHere() + target('a.example:80', 'CONNECT'), [200, 501]],
      ['CONNECT after the last request is not answered', head('GET /health HTTP/1.0', host) + target('a.example:80', 'CONNECT'), [200]],
      ['CONNECT without a port', target('a.example', 'CONNECT'), [400]],
      ['CONNECT in origin-form', target('/health', 'CONNECT'), [400]],
      ['CONNECT without Host', head('CONNECT a:80 HTTP/1.1'), [400]],
      ['CONNECT with two Hosts', head('CONNECT a:80 HTTP/1.1', host, host), [400]],
      ['Upgrade is ignored, but the reply is the last one', getHere('Connection: Upgrade', 'Upgrade: websocket'), [200]],
      ['Upgrade with content', `${getHere('Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 3')}abc`, [200]],
      ['100-continue gets the final status at once', getHere('Content-Length: 5', 'Expect: 100-continue'), [200]],
      ['100-continue in any case, with chunks', getHere('Transfer-Encoding: chunked', 'Expect: 100-Continue'), [200]],
      ['100-continue without content', getHere('Expect: 100-continue'), [200]],
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
      ['HTTP/1.0 in absolute-form without Host', head(`GET http://${authority}/health HTTP/1.0`), [200], 'any host'],
      ['HTTP/1.0 in absolute-form with an illegal authority', head('GET http://a@b/health HTTP/1.0'), [400]],
    ],
  };
}

function printable(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
}
