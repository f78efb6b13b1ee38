import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestWithUnknownMethod, statusOfParserError } from '../../src/http/parser-error.ts';

/** An error as node's parser makes it: the packet, and how much of it was parsed before. */
function parserError(code: string | undefined, packet?: string, bytesParsed?: number): Error {
  const rawPacket = packet === undefined ? undefined : Buffer.from(packet, 'latin1');
  return Object.assign(new Error('Parse Error'), { code, rawPacket, bytesParsed });
}

for (const [code, status] of [
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_PAUSED_H2_UPGRADE', 505],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 400],
  ['HPE_INVALID_CHUNK_SIZE', 400],
  ['HPE_INVALID_METHOD', 400],
  ['HPE_WHATEVER_COMES', 400],
] as const) {
  test(`the parser error ${code} is a ${status}`, () => {
    assert.equal(statusOfParserError(parserError(code)), status);
  });
}

test('a connection that failed has no status', () => {
  for (const error of [parserError('ECONNRESET'), parserError('ERR_SSL_HTTP_REQUEST'), parserError('X_HPE_'), parserError(undefined), new Error('socket hang up')]) {
    assert.equal(statusOfParserError(error), undefined);
  }
});

test('a version that is one gets 505, anything else 400', () => {
  for (const [packet, status] of [
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
    assert.equal(statusOfParserError(parserError('HPE_INVALID_VERSION', packet, 5)), status, JSON.stringify(packet));
  }
  assert.equal(statusOfParserError(parserError('HPE_INVALID_VERSION')), 400);
  assert.equal(statusOfParserError(parserError('HPE_INVALID_METHOD', 'GET /a HTTP/1.2\r\n', 5)), 400);
});

const invalidMethod = (packet: string, bytesParsed = 0) => requestWithUnknownMethod(parserError('HPE_INVALID_METHOD', packet, bytesParsed));

test('a whole head with an unknown method is a request like any other', () => {
  const request = invalidMethod('BREW /a?b HTTP/1.1\r\nHost: a:80\r\nX:\r\nContent-Length: \t5\t \r\n\r\n12345') ?? assert.fail();
  const { method, path, query, host, refusalStatus, hasContent, mustBeLast } = request;
  assert.deepEqual({ method, path, query, host, refusalStatus, hasContent, mustBeLast }, {
    method: 'BREW', path: '/a', query: 'b', host: 'a:80', refusalStatus: 0, hasContent: true, mustBeLast: false,
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

test('it is found behind the requests that came with it in one packet', () => {
  const before = 'POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx\nyGET /c HTTP/1.1\r\nHost: a\r\n\r\n';
  const { method, path } = invalidMethod(`${before}BREW /a HTTP/1.1\r\nHost: a\r\n\r\n`, before.length + 1) ?? assert.fail();
  assert.deepEqual([method, path], ['BREW', '/a']);
});

test('what is no whole head with an unknown method is no request', () => {
  for (const packet of [
    '',
    'BREW',
    'BREW /a HTTP/1.1\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\n',
    'BREW /a HTTP/1.1\r\nHost: a\r\n\r',
    'BREW /a HTTP/1.1\nHost: a\n\n',
    'BREW  /a HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /a  HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /a b HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n',
    'BREW /a HTCPCP/1.0\r\nHost: a\r\n\r\n',
    'BREW /a HTTP/1.1x\r\nHost: a\r\n\r\n',
    'BR(W /a HTTP/1.1\r\nHost: a\r\n\r\n',
    ' BREW /a HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: a\r\n\r\n',
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

test('another parser error has no such request, and neither has one without its packet', () => {
  const packet = 'BREW /a HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const error of [
    parserError('HPE_INVALID_VERSION', packet, 1),
    parserError('HPE_INVALID_METHOD'),
    Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_METHOD', rawPacket: Buffer.from(packet) }),
    new Error('socket hang up'),
  ]) {
    assert.equal(requestWithUnknownMethod(error), undefined);
  }
});

test('a method of RTSP, which the parser knows but not in HTTP, is an unknown method', () => {
  const methods = ['ANNOUNCE', 'DESCRIBE', 'FLUSH', 'GET_PARAMETER', 'PAUSE', 'PLAY', 'RECORD', 'REDIRECT', 'SETUP', 'SET_PARAMETER', 'TEARDOWN'];
  const invalidConstant = (packet: string, read: string) => requestWithUnknownMethod(parserError('HPE_INVALID_CONSTANT', packet, read.length));
  for (const method of methods) {
    for (const content of ['', 'secret', 'PLAY /b HTTP', 'GET_']) {
      const read = `${content}${method} /a HTTP`;
      assert.equal(invalidConstant(`${read}/1.1\r\nHost: a\r\n\r\n`, read)?.method, method);
    }
  }
  for (const read of ['', 'GET /a HT', 'GET /a HTTP', 'PLAY /a HTT', 'PLAY HTTP', 'BREW /a HTTP']) {
    assert.equal(invalidConstant(`${read}/1.1\r\nHost: a\r\n\r\n`, read), undefined, read);
  }
});

test('a method that begins like one that the parser knows is taken whole', () => {
  // The method, and what the parser has read of it when it stops.
  for (const [method, read] of [['PLAN', 'PLA'], ['PLAYX', 'PLAY'], ['PLAYGET', 'PLAY'], ['RECEIVE', 'REC'], ['DESCEND', 'DESC'], ['GET_PARAM', 'GET_PARAM'], ['PRINT', 'PRI'], ['GETX', 'GET']] as const) {
    for (const content of ['', 'secret-']) {
      assert.equal(invalidMethod(`${content}${method} /a HTTP/1.1\r\nHost: a\r\n\r\n`, content.length + read.length)?.method, method);
    }
  }
});

test('the head of a request with an unknown method may have 16 KiB', () => {
  const head = (length: number) => `BREW /a HTTP/1.1\r\nHost: a\r\nX: `.padEnd(length, 'x').concat('\r\n\r\n');
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

test('content in front of a method that the parser does not know is no part of the method', () => {
  for (const content of ['secret', 'a', '1', 'BREW', 'x'.repeat(65_000)]) {
    assert.equal(invalidMethod(`${content}BREW /a HTTP/1.1\r\nHost: a\r\n\r\n`, content.length + 1)?.method, 'BREW');
    assert.equal(invalidMethod(`${content}XYZ /a HTTP/1.1\r\nHost: a\r\n\r\n`, content.length)?.method, 'XYZ');
  }
});
