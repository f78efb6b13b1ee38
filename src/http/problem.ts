// Problem documents (RFC 9457): what a client is told when a request cannot be served.
import { contentReply, type Reply } from './reply.ts';

/** The 400 for parameters that break their rules: `errors` maps a parameter to what is wrong with it. */
export function validationProblem(errors: Readonly<Record<string, readonly string[]>>, traceId: string): Reply {
  return problemReply(400, {
    type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    errors,
    traceId,
  });
}

/**
 * The 500 for an unexpected error. Nothing of the error is in it: that is for the log.
 * Without a `type` it reads as `about:blank` (RFC 9457 4.2.1). `path` comes without the query.
 */
export function unexpectedProblem(path: string): Reply {
  return problemReply(500, {
    title: 'An unexpected error occurred.',
    status: 500,
    detail: 'Contact support if the problem persists.',
    instance: path,
  });
}

function problemReply(status: number, document: object): Reply {
  return contentReply(status, 'application/problem+json', JSON.stringify(document));
}
