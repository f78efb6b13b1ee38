// From a request to its reply: refused when it is illegal, answered by the handler otherwise.
import type { ParsedRequest } from './parsed-request.ts';
import { unexpectedProblem } from './problem.ts';
import { emptyReply, type Handler, type Reply } from './reply.ts';
import type { Reports } from './reports.ts';

export type Pipeline = {
  /** The reply that refuses a request; undefined when nothing is wrong with its head. */
  readonly refusalOf: (request: ParsedRequest) => Reply | undefined;
  /** The reply to a legal request. */
  readonly answer: (request: ParsedRequest) => Reply;
  /** The reply with `status` to content, or to bytes that are no request (undefined), as illegal. */
  readonly refuse: (status: number, request: ParsedRequest | undefined) => Reply;
  /** The 500 for an error that was thrown on the way to a reply. The log has the error in full. */
  readonly unexpected: (error: unknown, request: ParsedRequest | undefined) => Reply;
};

export type PipelineOptions = {
  /** Whether a host is answered to; undefined: all are. */
  readonly isAllowed: ((host: string | undefined) => boolean) | undefined;
  readonly reports: Reports;
};

/** The way of requests to `handler`. */
export function createPipeline(handler: Handler, { isAllowed, reports }: PipelineOptions): Pipeline {
  function statusOf(request: ParsedRequest): number {
    if (request.refusalStatus !== 0) return request.refusalStatus;
    return isAllowed === undefined || isAllowed(request.host) ? 0 : 421; // RFC 9110 15.5.20
  }

  // Every step below is in the boundary: whatever it throws becomes a 500.
  function unexpected(error: unknown, request: ParsedRequest | undefined): Reply {
    reports.failed(error, request?.traceId ?? '');
    return unexpectedProblem(request?.path ?? '');
  }

  function refuse(status: number, request: ParsedRequest | undefined): Reply {
    try {
      reports.refused(status);
      return emptyReply(status);
    } catch (error) {
      return unexpected(error, request);
    }
  }

  return {
    refuse,
    unexpected,
    refusalOf: (request) => {
      try {
        const status = statusOf(request);
        return status === 0 ? undefined : refuse(status, request);
      } catch (error) {
        return unexpected(error, request);
      }
    },
    answer: (request) => {
      try {
        return handler(request);
      } catch (error) {
        return unexpected(error, request);
      }
    },
  };
}
