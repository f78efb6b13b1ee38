// From a request to its reply: refused when it is illegal, answered by the handler otherwise.
import type { ParsedRequest } from './parsed-request.ts';
import { unexpectedProblem } from './problem.ts';
import { emptyReply, type Handler, type Reply } from './reply.ts';
import type { Reports } from './reports.ts';

export type PipelineOptions = {
  /** Whether a host is answered to; undefined: all are. */
  readonly isAllowed: ((host: string | undefined) => boolean) | undefined;
  readonly reports: Reports;
};

/** What turns requests into replies, with `handler` for the legal ones. What anything in it throws becomes a 500. */
export function createPipeline(handler: Handler, { isAllowed, reports }: PipelineOptions) {
  /** The 500 for an error that was thrown on the way to a reply. The log has the error in full. */
  function unexpected(error: unknown, request: ParsedRequest | undefined): Reply {
    reports.failed(error, request?.traceId ?? '');
    return unexpectedProblem(request?.path ?? '');
  }

  /** The reply with `status` to content, or to bytes that are no request (undefined), as illegal. */
  function refuse(status: number, request: ParsedRequest | undefined): Reply {
    try {
      reports.refused(status);
      return emptyReply(status);
    } catch (error) {
      return unexpected(error, request);
    }
  }

  /** The reply that refuses a request; undefined when nothing is wrong with its head. */
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
