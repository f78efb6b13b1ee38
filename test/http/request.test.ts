// What a request says of itself beyond its head, which head.test.ts tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABORTS, HttpRequest } from '../../src/http/request.ts';

test('its signal is aborted once, also if it is asked for only then, and it knows', () => {
  const request = new HttpRequest({ method: 'GET', path: '/', query: '', host: 'a', headers: {} });
  for (const why of ['closed', 'stopped'] as const) request.abort(why);
  const { signal } = request;
  request.abort('stopped');
  assert.deepEqual([signal.aborted, signal.reason.name, signal.reason.message], [true, 'AbortError', ABORTS.closed]);
  assert.equal(request.isAborted, true);
});
