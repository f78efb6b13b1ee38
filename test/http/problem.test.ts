import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unexpectedProblem, validationProblem } from '../../src/http/problem.ts';
import type { Reply } from '../../src/http/reply.ts';

function problem(status: number, body: string): Reply {
  const length = String(Buffer.byteLength(body));
  return {
    status,
    fields: ['Content-Type', 'application/problem+json', 'Content-Length', length, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
    body,
  };
}

test('what is wrong with parameters is a 400 that names each of them', () => {
  assert.deepEqual(
    validationProblem({ name: ['It is "empty".', 'Zoë'], lang: ['no'] }, '00-1-2-00'),
    problem(400, '{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.1","title":"One or more validation errors occurred.","status":400,' +
      '"errors":{"name":["It is \\"empty\\".","Zoë"],"lang":["no"]},"traceId":"00-1-2-00"}'),
  );
});

test('an unexpected error is a 500 that says the path and nothing of the error', () => {
  assert.deepEqual(
    unexpectedProblem('/a"b'),
    problem(500, '{"title":"An unexpected error occurred.","status":500,"detail":"Contact support if the problem persists.","instance":"/a\\"b"}'),
  );
});
