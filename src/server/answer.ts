// What is sent in reply to a request: the text of a reply.
import { unexpectedProblem } from '../http/problem.ts';
import type { Handler, Reply } from '../http/reply.ts';
import type { LegalRequest } from '../http/request.ts';
import type { IsAllowed } from '../http/request-target.ts';
import type { Limits } from './limits.ts';
import { reportSafely, type Reports } from './reports.ts';
import type { Responder } from './responder.ts';
import type { Turns } from './turns.ts';

export type ServerContext = {
  readonly handler: Handler;
  readonly isAllowed: IsAllowed; // a request for which it returns false is refused
  readonly isDraining: () => boolean; // whether the service is draining: while it is, each reply is the last on its connection
  readonly reports: Reports;
  readonly turns: Turns; // shared by all servers of the process
  readonly discardTurns: Turns; // for what is discarded: one read every `discardMs`
  readonly limits: Limits;
  readonly responder: Responder;
};

type AnswerContext = Pick<ServerContext, 'handler' | 'reports' | 'responder'>;

/** Returns the reply of the handler to `request`: its status, and the text to send. Every error is reported, and becomes a 500. */
export function answer(request: LegalRequest, isLast: boolean, { handler, reports, responder }: AnswerContext) {
  try {
    return format(handler(request), request, isLast, responder);
  } catch (error) { // including Node's own for an illegal field, which prevents response splitting
    reportSafely(reports, ({ failed }) => failed(error, request.traceparent), request.traceparent);
    return format(unexpectedProblem(request.path), request, isLast, responder);
  }
}

function format(reply: Reply, { method }: LegalRequest, isLast: boolean, responder: Responder) {
  const content = method === 'HEAD' ? '' : reply.body; // RFC 9110 9.3.2
  return { status: reply.status, text: responder.headOf(reply, isLast) + content };
}
