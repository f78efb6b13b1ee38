// Problem documents (RFC 9457): what a client is told when a request cannot be served.
import { contentReply, type Reply } from './reply.ts';

/** The 400 for parameters that break their rules: `errors` maps each of them to what is wrong with it. */
export function validationProblem(errors: Readonly<Record<string, readonly string[]>>, traceId: string): Reply {
  const type = 'https://tools.ietf.org/html/rfc9110#section-15.5.1';
  const document = JSON.stringify({ type, title: 'One or more validation errors occurred.', status: 400, errors, traceId });
  return contentReply(400, 'application/problem+json', document);
}

/**
 * The 500 for an unexpected error. Nothing of the error is in it: that is for the log.
 * Without a `type` it reads as `about:blank` (RFC 9457 4.2.1). `path` comes without the query.
 */
export function unexpectedProblem(path: string): Reply {
  const detail = 'Contact support if the problem persists.';
  const document = JSON.stringify({ title: 'An unexpected error occurred.', status: 500, detail, instance: path });
  return contentReply(500, 'application/problem+json', document);
}
