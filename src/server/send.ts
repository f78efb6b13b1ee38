// The two ways to reply: a legal request is answered by node's response; a refusal, which Node never sees, is plain text.
import type { ServerResponse } from 'node:http';
import { unexpectedProblem } from '../http/problem.ts';
import type { Handler, Reply } from '../http/reply.ts';
import type { LegalRequest } from '../http/request.ts';
import type { IsAllowed } from '../http/request-target.ts';
import type { Limits } from './limits.ts';
import { http } from './node-http.ts';
import { reportSafely, type Reports } from './reports.ts';
import type { Responder } from './response-stream.ts';
import type { Turns } from './turns.ts';

export type Service = {
  readonly handler: Handler;
  readonly isAllowed: IsAllowed; // hosts for which it returns false are refused
  readonly isDraining: () => boolean; // whether the service drains: each reply is the last on its connection then
  readonly reports: Reports;
  readonly turns: Turns; // shared by all servers of the process
  readonly discardTurns: Turns; // for what is discarded: one read in each `discardMs`
  readonly limits: Limits;
  readonly respond: Responder;
};

/** Answers `request` with what the handler replies, and returns the status. Every error is reported, and becomes a 500. */
export function answer(
  request: LegalRequest, response: ServerResponse, isLast: boolean, { handler, reports }: Pick<Service, 'handler' | 'reports'>,
): number {
  try {
    return send(handler(request), response, isLast);
  } catch (error) { // including Node's own for an illegal field, which prevents response splitting
    reportSafely(reports, ({ failed }) => failed(error, request.traceparent), request.traceparent);
    return send(unexpectedProblem(request.path), response, isLast);
  }
}

// Node adds Date and `Connection: keep-alive`, unless they are there, and leaves out the content for HEAD. The reason phrase
// is given, because Node would otherwise keep that of a reply that it has refused.
function send({ status, fields, body }: Reply, response: ServerResponse, isLast: boolean): number {
  if (typeof body !== 'string') throw new TypeError('The body of a reply must be a string.'); // node would say so after the status
  response.writeHead(status, http.STATUS_CODES[status], isLast ? [...fields, ...lastFields()] : [...fields]);
  response.end(body);
  return status;
}

/** The text of a refusal, which is the last reply on its connection. */
export function refusalText(status: number): string {
  const [date, time, connection, close] = lastFields();
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nContent-Length: 0\r\n${date}: ${time}\r\n${connection}: ${close}\r\n\r\n`;
}

// RFC 9110 6.6.1: the date. RFC 9112 9.6: close.
const lastFields = () => ['Date', new Date().toUTCString(), 'Connection', 'close'];
