// From a request to its reply: the request is refused, or answered by the handler.
import type { ParsedRequest } from '../http/parsed-request.ts';
import { unexpectedProblem } from '../http/problem.ts';
import { emptyReply, type Handler, type Reply } from '../http/reply.ts';
import type { Reports } from './reports.ts';

export type PipelineOptions = {
  /** Whether a host is answered to; undefined: all are. */
  readonly isAllowed: ((host: string | undefined) => boolean) | undefined;
  readonly reports: Reports;
};

/** Makes the functions that turn requests into replies. An error that is thrown in one of them becomes a 500. */
export function createPipeline(handler: Handler, { isAllowed, reports }: PipelineOptions) {
  /** Reports an error that was thrown on the way to a reply, and makes the 500 for it. */
  function unexpected(error: unknown, request: ParsedRequest | undefined): Reply {
    reports.failed(error, request?.traceId ?? '');
    return unexpectedProblem(request?.path ?? '');
  }

  /** Reports and makes a refusal with `status`. `request` is undefined when the bytes are no request. */
  function refuse(status: number, request: ParsedRequest | undefined): Reply {
    try {
      reports.refused(status);
      return emptyReply(status);
    } catch (error) {
      return unexpected(error, request);
    }
  }

  /** The reply that refuses a request, which is reported; undefined when nothing is wrong with the head. */
  function refusalOf(request: ParsedRequest): Reply | undefined {
    try {
      if (request.refusalStatus !== 0) return refuse(request.refusalStatus, request);
      return isAllowed === undefined || isAllowed(request.host) ? undefined : refuse(421, request); // RFC 9110 15.5.20
    } catch (error) {
      return unexpected(error, request);
    }
  }

  /** The reply to a legal request. */
  function answer(request: ParsedRequest): Reply {
    try {
      return handler(request);
    } catch (error) {
      return unexpected(error, request);
    }
  }

  return { refusalOf, answer, refuse, unexpected };
}
