import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unexpectedProblem, validationProblem } from '../../src/http/problem.ts';
import { contentReply } from '../../src/http/reply.ts';

test('what is wrong with parameters is a 400 that names each of them', () => {
  const document = '{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.1","title":"One or more validation errors occurred.",' +
    '"status":400,"errors":{"name":["It is \\"empty\\".","Zoë"],"lang":["no"]},"traceId":"00-1-2-00"}';
  const reply = validationProblem({ name: ['It is "empty".', 'Zoë'], lang: ['no'] }, '00-1-2-00');
  assert.deepEqual(reply, contentReply(400, 'application/problem+json', document));
});

test('an unexpected error is a 500 that says the path and nothing of the error', () => {
  const document = '{"title":"An unexpected error occurred.","status":500,"detail":"Contact support if the problem persists.",' +
    '"instance":"/a\\"b"}';
  assert.deepEqual(unexpectedProblem('/a"b'), contentReply(500, 'application/problem+json', document));
});
