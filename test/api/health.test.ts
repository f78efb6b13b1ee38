import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealthEndpoint } from '../../src/api/health.ts';
import { contentReply } from '../../src/http/reply.ts';

test('the process is unhealthy while it drains', () => {
  const request = { method: 'GET', path: '/health', query: '', host: undefined, traceparent: '' };
  let draining = false;
  const endpoint = createHealthEndpoint(() => draining);
  assert.deepEqual(endpoint(request), contentReply(200, 'text/plain', 'Healthy'));
  draining = true;
  assert.deepEqual(endpoint(request), contentReply(503, 'text/plain', 'Unhealthy'));
});
