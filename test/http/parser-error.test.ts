import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyToParserError } from '../../src/http/parser-error.ts';
import { emptyReply, type Reply } from '../../src/http/reply.ts';

function answer(method: string, path: string): Reply {
  assert.equal(method, 'BREW');
  return path === '/a' ? emptyReply(405) : emptyReply(404);
}

function parserError(code: string | undefined, packet?: string, bytesParsed?: number): Error {
  const rawPacket = packet === undefined ? undefined : Buffer.from(packet, 'latin1');
  return Object.assign(new Error('Parse Error'), { code, rawPacket, bytesParsed });
}

test('each parser error has its status', () => {
  for (const [code, status] of [
    ['ERR_HTTP_REQUEST_TIMEOUT', 408],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
    ['HPE_HEADER_OVERFLOW', 431],
    ['HPE_PAUSED_H2_UPGRADE', 505],
    ['HPE_PAUSED', 503],
    ['HPE_INVALID_CHUNK_SIZE', 400],
    ['HPE_WHATEVER_COMES', 400],
  ] as const) {
    assert.deepEqual(replyToParserError(parserError(code), answer), emptyReply(status));
  }
});

test('a connection that failed has no reply', () => {
  for (const error of [parserError('ECONNRESET'), parserError('ERR_SSL_HTTP_REQUEST'), parserError(undefined), new Error('socket hang up')]) {
    assert.equal(replyToParserError(error, answer), undefined);
  }
});

test('an unknown method is answered from the request line, wherever in the packet it is', () => {
  const line = 'BREW /a?x HTTP/1.1\r\n';
  for (const [before, parsed] of [['', 1], ['GET /b HTTP/1.1\r\nHost: a\r\n\r\n', 28]] as const) {
    assert.deepEqual(replyToParserError(parserError('HPE_INVALID_METHOD', before + line, parsed), answer), emptyReply(405));
  }
  assert.deepEqual(replyToParserError(parserError('HPE_INVALID_METHOD', 'BREW /b HTTP/1.0\r\n', 1), answer), emptyReply(404));
});

test('a version that is one gets 505, anything else 400', () => {
  for (const [packet, status] of [
    ['GET /a HTTP/1.2\r\n', 505],
    ['GET /a HTTP/9.9\r\n', 505],
    ['GET /a HTTP/11\r\n', 400],
    ['GET /a HTTP/1.1\n', 400],
    ['GET /a HTTP/1.1\r\n', 400],
    ['BREW  /a HTTP/1.1\r\n', 400],
    ['BREW /a#b HTTP/1.1\r\n', 400],
    ['BREW /a HTTP/1.1', 400],
    ['', 400],
  ] as const) {
    assert.deepEqual(replyToParserError(parserError('HPE_INVALID_VERSION', packet, 5), answer), emptyReply(status));
  }
  assert.deepEqual(replyToParserError(parserError('HPE_INVALID_VERSION'), answer), emptyReply(400));
});
