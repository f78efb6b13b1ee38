import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestWithUnknownMethod, statusOfParserError } from '../../src/http/rejected-request.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

for (const [code, status] of [
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_PAUSED_H2_UPGRADE', 505],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 400],
  ['HPE_INVALID_CHUNK_SIZE', 400],
  ['HPE_INVALID_METHOD', 400],
  ['HPE_WHATEVER_COMES', 400],
  [undefined, 400],
] as const) {
  test(`the parser error ${code} is a ${status}`, () => {
    for (const first of [undefined, bytes(''), bytes('GET /a HTTP/1.1\r\n')]) assert.equal(statusOfParserError(code, first), status);
  });
}

test('a version that is one gets 505, anything else 400', () => {
  for (const [first, status] of [
    ['GET /a HTTP/1.2\r\n', 505],
    ['GET /a HTTP/9.9\r\n', 505],
    ['BREW http://a?b HTTP/2.0\r\nHost: a\r\n\r\n', 505],
    ['GET /a HTTP/1.1\r\n', 400],
    ['GET /a HTTP/1.0\r\n', 400],
    ['GET /a HTTP/11\r\n', 400],
    ['GET /a HTTP/x.y\r\n', 400],
    ['GET /a HTTP/1.2\n', 400],
    ['GET /a HTTP/1.2', 400],
    ['GET  /a HTTP/1.2\r\n', 400],
    ['GET /a  HTTP/1.2\r\n', 400],
    ['G(T /a HTTP/1.2\r\n', 400],
    [' GET /a HTTP/1.2\r\n', 400],
    ['', 400],
  ] as const) {
    for (const code of ['HPE_INVALID_VERSION', 'HPE_INVALID_METHOD']) assert.equal(statusOfParserError(code, bytes(first)), status, JSON.stringify(first));
  }
  assert.equal(statusOfParserError('HPE_HEADER_OVERFLOW', bytes('GET /a HTTP/1.2\r\n')), 431);
});

const invalidMethod = (head: string) => requestWithUnknownMethod('HPE_INVALID_METHOD', bytes(head));

test('a whole head with an unknown method is a request like any other', () => {
  const request = invalidMethod('BREW /a?b HTTP/1.1\r\nHost: a:80\r\nX:\r\nContent-Length: \t5\t \r\n\r\n') ?? assert.fail();
  const { method, path, query, host, refusalStatus, contentLength, mustBeLast } = request;
  assert.deepEqual({ method, path, query, host, refusalStatus, contentLength, mustBeLast }, {
    method: 'BREW', path: '/a', query: 'b', host: 'a:80', refusalStatus: 0, contentLength: 5, mustBeLast: false,
  });
});

test('it is checked by the rules of every request', () => {
  for (const [packet, refusalStatus] of [
    ['BREW /a HTTP/1.1\r\nHost: a\r\n\r\n', 0],
    ['get /a HTTP/1.1\r\nhost:a\r\n\r\n', 0],
    ["!#$%&'*+-.^`|~ /a HTTP/1.1\r\nHost: a\r\nX: \t ~\xe9: b\r\n\r\n", 0],
    ['BREW /a HTTP/1.0\r\n\r\n', 0],
    ['BREW /a HTTP/1.1\r\n\r\n', 400],
    ['BREW /a HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400],
    ['BREW /a HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
    ['BREW /a#b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['BREW /a HTTP/2.0\r\nHost: a\r\n\r\n', 505],
    ['BREW /a HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417],
    [`BREW /a HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(100)}\r\n`, 431],
  ] as const) {
    assert.equal(invalidMethod(packet)?.refusalStatus, refusalStatus, JSON.stringify(packet.slice(0, 80)));
  }
});

test('what is no whole head with an unknown method is no request', () => {
  for (const packet of [
    '',
    'BREW',
    'BREW /a HTTP/1.1\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\n\r',
    'BREW /a HTTP/1.1\r\nHost: a\r\n\r\nx',
    'BREW /a HTTP/1.1\r\nHost: a\r\n\r\n\r\n',
    'BREW /a HTTP/1.1\nHost: a\n\n',
    'BREW  /a HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /a  HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /a b HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /a HTCPCP/1.0\r\nHost: a\r\n\r\n',
    'BREW /a HTTP/1.1x\r\nHost: a\r\n\r\n',
    'BR(W /a HTTP/1.1\r\nHost: a\r\n\r\n',
    ' BREW /a HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\nX\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost : a\r\n\r\n',
    'BREW /a HTTP/1.1\r\n Host: a\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\n b\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\nX: b\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\nX: a\x7fb\r\n\r\n',
  ]) {
    assert.equal(invalidMethod(packet), undefined, JSON.stringify(packet));
  }
});

test('another parser error has no such request, and neither has one whose bytes are not known', () => {
  const head = 'BREW /a HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const code of ['HPE_INVALID_VERSION', 'HPE_HEADER_OVERFLOW', undefined]) assert.equal(requestWithUnknownMethod(code, bytes(head)), undefined);
  for (const code of ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']) {
    assert.equal(requestWithUnknownMethod(code, undefined), undefined);
    assert.equal(requestWithUnknownMethod(code, bytes(head))?.method, 'BREW');
  }
});

test('the head of a request with an unknown method may have 16 KiB', () => {
  const head = (length: number) => 'BREW /a HTTP/1.1\r\nHost: a\r\nX: '.padEnd(length - 4, 'x').concat('\r\n\r\n');
  assert.equal(invalidMethod(head(16 * 1024))?.method, 'BREW');
  assert.equal(invalidMethod(head(16 * 1024 + 1)), undefined);
});

test('long white space in a value takes no longer than other characters', () => {
  const shortest = (value: string) => Math.min(...Array.from({ length: 5 }, () => {
    const start = performance.now();
    assert.equal(invalidMethod(`BREW /a HTTP/1.1\r\nHost: a\r\nX: x${value}x\r\n\r\n`)?.refusalStatus, 0);
    return performance.now() - start;
  }));
  const [letters, spaces] = [shortest('x'.repeat(16_000)), shortest(' '.repeat(16_000))];
  assert.ok(spaces < 50 * letters, `${spaces} ms instead of ${letters}`); // it was 1,000 times as long
});

test('a method and the name of a field have the characters of a token, and no others', () => {
  for (let code = 0; code < 256; code += 1) {
    const character = String.fromCharCode(code);
    const isToken = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".includes(character);
    const isRequest = (head: string) => requestWithUnknownMethod('HPE_INVALID_METHOD', Buffer.from(head, 'latin1')) !== undefined;
    assert.equal(isRequest(`B${character}W / HTTP/1.1\r\nHost: a\r\n\r\n`), isToken, `method ${JSON.stringify(character)}`);
    if (character !== ':') assert.equal(isRequest(`BREW / HTTP/1.1\r\nHost: a\r\nX${character}: b\r\n\r\n`), isToken, `field ${JSON.stringify(character)}`);
  }
});
