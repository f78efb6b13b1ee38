// Problem documents (RFC 9457): what a client is told when a request cannot be served.
import { contentReply, type Reply } from './reply.ts';

const type = 'https://tools.ietf.org/html/rfc9110#section-15.5.1';

/** The 400 for parameters that break their rules: `errors` maps each of them to what is wrong with it. */
export function validationProblem(errors: Readonly<Record<string, readonly string[]>>, traceId: string): Reply {
  const document = { type, title: 'One or more validation errors occurred.', status: 400, errors, traceId };
  return contentReply(400, 'application/problem+json', JSON.stringify(document));
}

/** The 500 for an unexpected error. It says nothing about the error: that is for the log. `instance` is the path without the query. */
export function unexpectedProblem(instance: string): Reply {
  // RFC 9457 4.2.1: a document without a `type` has the type `about:blank`.
  const document = { title: 'An unexpected error occurred.', status: 500, detail: 'Contact support if the problem persists.', instance };
  return contentReply(500, 'application/problem+json', JSON.stringify(document));
}
