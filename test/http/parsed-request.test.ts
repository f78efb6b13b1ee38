import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParsedRequest } from '../../src/http/parsed-request.ts';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** What a request says, but for its trace id. */
function said({ method, path, query, host, refusalStatus, contentLength, mustBeLast }: ParsedRequest) {
  return { method, path, query, host, refusalStatus, contentLength, mustBeLast };
}

test('a legal request says what it asks for, and what follows it', () => {
  assert.deepEqual(said(new ParsedRequest('PUT', '/a/%20?b=c?', '1.1', ['Host', 'A:80', 'Content-Length', '5'])), {
    method: 'PUT', path: '/a/%20', query: 'b=c?', host: 'A:80', refusalStatus: 0, contentLength: 5, mustBeLast: false,
  });
  assert.deepEqual(said(new ParsedRequest('BREW', 'http://a/b', '1.0', [])), {
    method: 'BREW', path: '/b', query: '', host: undefined, refusalStatus: 0, contentLength: 0, mustBeLast: false,
  });
});

test('an illegal target is refused with 400, as the last request, and only its path is kept', () => {
  assert.deepEqual(said(new ParsedRequest('GET', 'http://user:secret@a/b?name=Ada', '1.1', ['Host', 'a'])), {
    method: 'GET', path: '/b', query: '', host: 'a', refusalStatus: 400, contentLength: 0, mustBeLast: true,
  });
});

test('an illegal head is refused with its own status, whatever the target', () => {
  for (const [target, path] of [['/a', '/a'], ['/a#b', '/a'], ['http://user@a/b', '/b']] as const) {
    assert.deepEqual(said(new ParsedRequest('GET', target, '2.0', ['Host', 'a'])), {
      method: 'GET', path, query: '', host: undefined, refusalStatus: 505, contentLength: 0, mustBeLast: true,
    });
  }
});

test('a target is held against the Host of the same request', () => {
  assert.equal(new ParsedRequest('GET', 'http://a/b', '1.1', ['Host', 'a']).refusalStatus, 0);
  assert.equal(new ParsedRequest('GET', 'http://a/b', '1.1', ['Host', 'b']).refusalStatus, 400);
});

test('the trace id is one, however often it is asked for', () => {
  const request = new ParsedRequest('GET', '/', '1.1', ['Host', 'a', 'traceparent', parent]);
  const { traceId } = request;
  assert.match(traceId, /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/);
  assert.equal(request.traceId, traceId);
});

test('the trace id is a new one without a traceparent, or when the head is illegal', () => {
  for (const fields of [['Host', 'a'], ['Host', 'a', 'Host', 'b', 'traceparent', parent]]) {
    assert.match(new ParsedRequest('GET', '/', '1.1', fields).traceId, /^00-(?!4bf92f3577b34da6a3ce929d0e0e4736)[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  }
});
