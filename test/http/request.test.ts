import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegalRequest } from '../../src/http/request.ts';
import { PARENT } from '../support/said.ts';

const head = { method: 'PUT', path: '/a', query: 'b', host: 'c', contentLength: 5, isLast: true };

test('a request has what its head says', () => {
  assert.deepEqual({ ...new LegalRequest({ ...head, parent: undefined }) }, head);
});

test('the trace of a request is that of its parent, or a new one, and stays the same', () => {
  const request = new LegalRequest({ ...head, parent: PARENT });
  const { traceparent } = request;
  assert.match(traceparent, /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/);
  assert.equal(request.traceparent, traceparent);

  const [first, second] = [new LegalRequest({ ...head, parent: undefined }), new LegalRequest({ ...head, parent: undefined })];
  assert.match(first.traceparent, /^00-(?!4bf92f3577b34da6a3ce929d0e0e4736)[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  assert.equal(first.traceparent, first.traceparent);
  assert.notEqual(first.traceparent, second.traceparent);
});
