import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPipeline, type PipelineOptions } from '../../src/server/pipeline.ts';
import { ParsedRequest } from '../../src/http/parsed-request.ts';
import { unexpectedProblem } from '../../src/http/problem.ts';
import { emptyReply, type Handler } from '../../src/http/reply.ts';

const handled = emptyReply(204);
const failure = new Error('It failed.');
const fail = (): never => { throw failure; };

/** A pipeline, and what it tells. */
function start({ handler = () => handled, isAllowed, refused }: { handler?: Handler; isAllowed?: PipelineOptions['isAllowed']; refused?: () => void } = {}) {
  const refusals: number[] = [];
  const failures: { error: unknown; traceId: string }[] = [];
  const reports = {
    failed: (error: unknown, traceId: string) => failures.push({ error, traceId }),
    refused: refused ?? ((status: number) => refusals.push(status)),
    dropped: () => assert.fail(),
    finished: undefined,
  };
  return { ...createPipeline(handler, { isAllowed, reports }), refusals, failures };
}

const legal = () => new ParsedRequest('GET', '/a?b', '1.1', ['Host', 'a:80']);
const illegal = () => new ParsedRequest('GET', '/a?b', '1.1', []);

test('a legal request is not refused, and the handler answers it', () => {
  const request = legal();
  const { refusalOf, answer, refusals, failures } = start({ handler: (asked) => (asked === request ? handled : emptyReply(404)) });
  assert.equal(refusalOf(request), undefined);
  assert.equal(answer(request), handled);
  assert.deepEqual([refusals, failures], [[], []]);
});

test('an illegal request is refused with its status, and reported', () => {
  const { refusalOf, refusals } = start({ isAllowed: () => assert.fail('an illegal Host was asked about') });
  assert.deepEqual(refusalOf(illegal()), emptyReply(400));
  assert.deepEqual(refusals, [400]);
});

test('a request to a host that is not answered to is refused with 421, and reported', () => {
  const hosts: unknown[] = [];
  const { refusalOf, refusals } = start({ isAllowed: (host) => hosts.push(host) === 1 });
  assert.equal(refusalOf(legal()), undefined);
  assert.deepEqual(refusalOf(legal()), emptyReply(421));
  assert.deepEqual([hosts, refusals], [['a:80', 'a:80'], [421]]);
});

test('content and bytes that are no request are refused with the status given, and reported', () => {
  const { refuse, refusals } = start();
  assert.deepEqual([refuse(413, legal()), refuse(408, undefined)], [emptyReply(413), emptyReply(408)]);
  assert.deepEqual(refusals, [413, 408]);
});

test('what the handler throws becomes a 500 and is reported with the trace id of the request', () => {
  for (const thrown of [failure, undefined, 'text']) {
    const { answer, failures } = start({ handler: () => { throw thrown; } });
    const request = legal();
    assert.deepEqual(answer(request), unexpectedProblem('/a'));
    assert.deepEqual(failures, [{ error: thrown, traceId: request.traceId }]);
  }
});

test('so does what the check of the host throws', () => {
  const { refusalOf, failures, refusals } = start({ isAllowed: fail });
  const request = legal();
  assert.deepEqual(refusalOf(request), unexpectedProblem('/a'));
  assert.deepEqual([failures, refusals], [[{ error: failure, traceId: request.traceId }], []]);
});

test('so does what is thrown by those who are told of a refusal', () => {
  const { refusalOf, refuse, failures } = start({ refused: fail });
  const request = illegal();
  assert.deepEqual([refusalOf(request), refuse(413, request), refuse(400, undefined)], [unexpectedProblem('/a'), unexpectedProblem('/a'), unexpectedProblem('')]);
  assert.deepEqual(failures, [{ error: failure, traceId: request.traceId }, { error: failure, traceId: request.traceId }, { error: failure, traceId: '' }]);
});
