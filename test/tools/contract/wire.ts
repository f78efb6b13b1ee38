// The rows of the wire: unusual and illegal requests, as bytes. Each is followed, in the same write, by an ordinary
// one, which must be answered if the connection stays open, and must not be if it is closed, as after each refusal.
import { head, words, type Row, type Sections, type Subject } from './row.ts';

const HOSTS = words("A.Example my_service-1.~%20b%C3%a9!$&'()*+;= 127.0.0.1. . a.:65535 [::] [::FFFF:10.0.0.1]:00080");
const SAME_HOSTS = { 'http://a:80': 'A', 'http://a.': 'a:80', 'http://[::1]:80': '[::1]', 'HTTP://A:8': 'a.:8' };
const OTHER_HOSTS = words('http://b http://a:1 http://a:443 https://a:80 http://user@a http://a@b http://a%');
const NO_HOSTS = ['', 'a b', ...words(`
  :80 user@a a/b a?b a#b a\\b a|b a<b a>b a{b a}b a^b a\`b "a" a%2 a\xe9 a,b a: a:-1 a:0x1f a:80:80 a:65536 a:000080
  ::1 [] [::1 1[::1] [::1]. [:::1] [127.0.0.1] [fe80::1%25eth0] [v1.a]`)];
const CHUNKS = ['00000003\r\nabc\r\n00000000', '7\r\n0\r\n\r\nGE\r\n0', 'A\r\n0123456789\r\na\r\n0123456789\r\n0'];
const EXTENSIONS = [';a=b;c', ';a=""', ';a="b;c=d"', ';a="\\""', ';a="\\\\"', ';a="\t !"', ';a="\\a\\ \xe9"'];
const NO_EXTENSIONS = [' ;a', ';\ta', ';a ', ';a =b', ';a= b', ';a="b"\t;c', ...words(
  ';a; ;a=b=c ;"a"=b ;a=" ;a="\\" ;a="b"c ;a=\xe9 ;a,b ;a="\0" ;a="\\\x7f" ;\x7f')];
const TRAILERS = ['X: \t~\xe9: y\r\nZ:', 'Content-MD5: z', 'Host: b', 'Expect: x', '__proto__: x']; // are ignored
const KEPT = ['', ',', 'closed', 'enclose', 'not-close', 'close x', 'close;x', 'upgrade'];
const CLOSED = ['close', 'x , Close', ',,close,,', 'keep-alive, close', 'a\r\nConnection: CLOSE'];
const CLOSED_IN_HTTP10 = ['', 'x', 'keepalive', 'keep-alive x', 'no-keep-alive', 'keep-alive;x'];
const NO_TARGETS = words(`health a.example:80 \\health * #/health http:/a/health ://a/health xhttp://a/health
  ftp://a/health http:///health /health\xc3\xa9 /?\xc3\xa9 /\0 /\x7f`);
const REQUEST_LINES = ['GET', 'BR(W / HTTP/1.1', ' GET /health HTTP/1.1', 'GET /health HTTP/1.1 ', '\x16\x03\x01\x02',
  'GET\t/health HTTP/1.1', 'GET /health\tHTTP/1.1', 'GET /health a HTTP/1.1', 'PRI * HTTP/2.0\r\n\r\nSM'];
const PROTOCOLS = words('http/1.1 HTTP/11 HTTP/1. HTTP/1.11 HTTP/01.1 HTTP1.1 ICE/1.1 HTTP/0.1 HTTP/1.2 HTTP/2.1');
const NO_FIELDS = ['X', ': x', 'X y: z', 'X;: a', '\xe9: a', 'X : a', 'X\t: a', ' X: a', 'X: a\r\n b', ' ', 'X\0: a',
  'X: a\0b', 'X: a\x7f', 'X: a\rb', 'X: a\nb'];
const NO_LENGTHS = ['', '5 5', '1, 1', '9'.repeat(400), '5\r\nContent-Length: 5', '5\r\nTransfer-Encoding: chunked',
  ...words('+5 -5 5x 0x5 1e1 \xb2')];
const NO_CODINGS = ['', 'gzip chunked', '\xa0chunked', 'chunked, gzip', 'chunked, chunked', 'chunked, gzip ,\tCHUNKED',
  'chunked\r\nTransfer-Encoding: chunked', 'chunked\r\nContent-Length: 5',
  ...words('identity gzip xchunked chunkedx "chunked" chunked;a=b chunked, ,chunked')];
const UNKNOWN_CODINGS = ['gzip,chunked', 'x;y=z ,\tChunked', 'chunkedx, chunked', 'gzip\r\nTransfer-Encoding: chunked'];
const NO_SIZES = ['', ' 3', '3 ', '3 1', ...words('x -3 +3 0x3 3g 3, 3=a 2 4')];
const EXPECTATIONS = ['x', '100-continue, x', 'x,100-continue', '100-continue;a', '100-continue\r\nExpect: x'];
// Line ends of every wrong kind, in every place where a line ends: CVE-2025-22871, CVE-2025-55315, CVE-2026-2332.
const ENDS = ['\n', '\r', '\r\r\n', '\n\r', '\r ', '\0'];
const ENDING_HEADS = ['ENDHOST\r\n\r\n', '\r\nHOSTEND\r\n', '\r\nHOST\r\nENDX: a\r\n']; // after the request line
const ENDING_CHUNKS = ['3ENDabc\r\n0\r\n\r\n', '3;a=bENDabc\r\n0\r\n\r\n', '3;a="bEND"\r\nabc\r\n0\r\n\r\n',
  '3\r\nabcEND0\r\n\r\n', '3\r\nabc\r\n0END\r\n', '0\r\nX: yEND\r\n', '0\r\nX: y\r\nENDX: a\r\n'];

export function wire({ authority }: Subject): Sections {
  const host = `Host: ${authority}`;
  const bare = (...fields: readonly string[]) => head('GET /health HTTP/1.1', ...fields);
  const get = (...fields: readonly string[]) => bare(host, ...fields);
  const post = `${head('POST /health HTTP/1.1', host, 'Content-Length: 2')}{}`;
  const http10 = (...fields: readonly string[]) => head('GET /health HTTP/1.0', host, ...fields);
  const target = (text: string, method = 'GET', at = authority) => head(`${method} ${text} HTTP/1.1`, `Host: ${at}`);
  const sized = (length: string) => `${get(`Content-Length: ${length}`)}12345`;
  const coded = (coding: string) => `${get(`Transfer-Encoding: ${coding}`)}0\r\n\r\n`;
  const expecting = (value: string) => `${get(`Expect: ${value}`, 'Content-Length: 5')}12345`;
  const chunked = (content: string) => get('Transfer-Encoding: chunked') + content;
  const ofSize = (size: string) => chunked(`${size}\r\nabc\r\n0\r\n\r\n`);
  const trailed = (line: string) => chunked(`0\r\n${line}\r\n\r\n`);
  const filler = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}:`);
  const long = 'x'.repeat(17_000);
  const half = `8000\r\n${'x'.repeat(32_768)}\r\n`; // of 64 KiB

  // Requests with the status of the reply: after `kept`, the connection stays open, and after `last`, it does not.
  const probe = head('GET /health HTTP/1.1', host, 'Connection: close');
  const answered = { status: 200, body: 'Healthy' };
  const one = (bytes: string, statuses: readonly number[], isLast: boolean): Row => {
    const replies = statuses.map((status) => ({ status }));
    const steps = [{ send: bytes + probe, replies: isLast ? replies : [...replies, answered] }];
    return { says: JSON.stringify(bytes).slice(1, 120), steps, ends: true };
  };
  const kept = (status: number, ...requests: readonly string[]) => requests.map((bytes) => one(bytes, [status], false));
  const last = (status: number, ...requests: readonly string[]) => requests.map((bytes) => one(bytes, [status], true));

  return {
    'any Host is served (RFC 9112 3.2, RFC 3986 3.2.2), and HTTP/1.0 needs none': [
      ...kept(200, ...HOSTS.map((name) => bare(`Host: ${name}`))),
      ...kept(200, ...Object.entries(SAME_HOSTS).map(([start, name]) => target(`${start}/health`, 'GET', name))),
      ...last(200, head('GET /health HTTP/1.0')),
    ].map((row) => ({ ...row, needs: 'any host' })),
    'fields of every kind (RFC 9110 5)': kept(200, bare(`hOST: \t ${authority} \t`), get('__proto__: x'),
      get('X:', "!#$%&'*+-.^_`|~09:b", 'Z: a\tb  c\xe9\x80\xff:;"'), get(...filler(99)),
      get(`X: ${'x'.repeat(16_383 - get('X: ').length)}`)),
    'targets (RFC 9112 3.2), in absolute-form, too, and methods (RFC 9110 9)': [
      ...kept(200, target('/health?name=&{}|^"<>`[]\'\\%zz?/:@#'), target(`HTTP://${authority}/health`)),
      ...last(200, head(`GET http://${authority}/health HTTP/1.0`)), // Host is that of the target
      ...kept(404, target("/az09-._~!$&'()*+,;=:@/%7E%2f//"), target(`/${'a'.repeat(16_000)}`), target('*', 'OPTIONS'),
        target(`http://${authority}?/health`)),
      ...kept(405, ...words('HEAD POST OPTIONS TRACE PROPFIND').map((method) => target('/health', method))),
    ],
    'content ends where it says (RFC 9112 6)': kept(200,
      get('Content-Length: 0'), sized('\t005 '), `${get('content-length:29')}GET /nope HTTP/1.1\r\nHost: a\r\n`,
      `${get('Content-Length: 65536')}${'x'.repeat(65_536)}`, chunked(`${half}${half}0\r\n\r\n`), coded('CHUNKED  '),
      ...CHUNKS.map((text) => chunked(`${text}\r\n\r\n`)), ...EXTENSIONS.map((text) => ofSize(`3${text}`)),
      ...TRAILERS.map(trailed), trailed(`X: ${'x'.repeat(16_000)}`),
      chunked(`${`1;a="${'b'.repeat(900)}"\r\nx\r\n`.repeat(17)}0\r\n\r\n`)),
    'requests are answered in order (RFC 9112 9.3.2); empty lines before them are skipped': [
      one(get() + target('/nope') + post + ofSize('3') + sized('5'), [200, 404, 405, 200, 200], false),
      one(get() + chunked('3\r\nabc\r\nz\r\n'), [200, 400], true),
      ...kept(200, `\n\r\r\n\r\n${get()}`),
    ],
    'the connection stays open (RFC 9112 9.3)': kept(200, ...KEPT.map((option) => get(`Connection: ${option}`)),
      http10('Connection: keep-alive', 'Expect: x'), http10('Connection: x, Keep-Alive ,')),
    'the reply is the last one (RFC 9112 9.3, 9.6)': last(200, ...CLOSED.map((option) => get(`Connection: ${option}`)),
      ...CLOSED_IN_HTTP10.map((option) => http10(`Connection: ${option}`)), `${http10('Content-Length: 3')}abc`,
      http10() + target('a:80', 'CONNECT')),
    'Upgrade is ignored (RFC 9110 7.8)': kept(200, // as Java's HttpClient and curl --http2 send it
      get('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEA'), get('Upgrade: websocket'),
      `${get('Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 3')}abc`,
      `${get('Connection: Upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`,
      http10('Connection: keep-alive, upgrade', 'Upgrade: websocket')),
    'expectations (RFC 9110 10.1.1): the reply to 100-continue with content comes at once, and is the last one': [
      ...last(200, expecting(', 100-CONTINUE\t,,'), `${get('Expect: 100-continue', 'Transfer-Encoding: chunked')}z`),
      ...kept(200, expecting(''), expecting(', \t,')),
      ...last(417, ...EXPECTATIONS.map(expecting)),
    ],
    'line ends (RFC 9112 2.2)': last(400, `GET /health HTTP/1.1\n${host}\n\n`, ...ENDS.flatMap((end) => [
      ...ENDING_HEADS.map((text) => `GET / HTTP/1.1${text.replace('HOST', host).replace('END', end)}`),
      ...ENDING_CHUNKS.map((text) => chunked(text.replace('END', end))),
    ])),
    'request lines (RFC 9112 3)': last(400, ...REQUEST_LINES.map((line) => head(line, host)),
      ...PROTOCOLS.map((protocol) => head(`GET /health ${protocol}`, host)), ...NO_TARGETS.map((text) => target(text))),
    'field lines (RFC 9112 5)': last(400, ...NO_FIELDS.map((line) => get(line)), bare(` ${host}`), bare('Host : a')),
    'exactly one legal Host, the same as in the target (RFC 9112 3.2)': last(400, bare(), get(host), http10(host),
      get(...filler(90), 'host: b'), ...NO_HOSTS.map((name) => bare(`Host: ${name}`)),
      ...OTHER_HOSTS.map((start) => target(`${start}/health`, 'GET', 'a')), head('GET /health HTTP/1.0', 'Host: a b'),
      head(`GET http://${authority}/health HTTP/1.1`), head('GET http://a@b/health HTTP/1.0')),
    'one length or chunked (RFC 9112 6)': [
      ...last(400, ...NO_LENGTHS.map(sized), ...NO_CODINGS.map(coded), http10('Transfer-Encoding: chunked')),
      ...last(501, ...UNKNOWN_CODINGS.map(coded), http10('Transfer-Encoding: gzip, chunked')),
    ],
    'chunks (RFC 9112 7.1)': last(400, ...NO_SIZES.map(ofSize), ...NO_EXTENSIONS.map((text) => ofSize(`3${text}`)),
      ...[...NO_FIELDS, 'Content-Length: 5', 'Transfer-Encoding: chunked'].map(trailed)),
    'at most 64 KiB of content (RFC 9110 15.5.14)': last(413, get('Content-Length: 65537'),
      `${get('Content-Length: 65537')}${'x'.repeat(65_537)}`, get('Content-Length: 65537', 'Expect: 100-continue'),
      chunked(`${half}${half}1\r\nx\r\nz\r\n`)),
    'https, where no TLS is (RFC 9110 7.4)': last(421, target(`https://${authority}/health`))
      .map((row) => ({ ...row, needs: 'no TLS' })),
    'at most 100 field lines, and 16 KiB (RFC 6585 5)': last(431, get(...filler(100)),
      get(`X: ${long}`), trailed(`X: ${long}`), target(`/${long}`), `GET /${long}`),
  };
}
