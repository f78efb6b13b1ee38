// Replies as values: what a handler returns, and what becomes of it.
import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';

export const { OutgoingMessage, STATUS_CODES } = process.getBuiltinModule('node:http'); // src/turns says why

export type ReplyHeaders = Readonly<Record<string, OutgoingHttpHeader>>;

export type Reply = {
  readonly status: number; // 200 to 999
  readonly headers: ReplyHeaders; // except those that the server adds, see `headersOf`
  readonly body: string | Uint8Array;
};

/** A reply with content. */
export function contentReply(status: number, contentType: string, body: string | Uint8Array): Reply {
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'no-store', // content may soon be out of date
    'X-Content-Type-Options': 'nosniff', // browsers must not guess another type (OWASP REST Security Cheat Sheet)
  };
  return { status, headers, body };
}

/** A reply without content. `no-store`, because caches keep some of these otherwise (RFC 9110 15.1). */
export function emptyReply(status: number, headers: ReplyHeaders = {}): Reply {
  return { status, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
}

/** The 400 for illegal parameters, a problem document (RFC 9457): `errors` says what is wrong with each. */
export function validationProblem(errors: Readonly<Record<string, readonly string[]>>, traceId: string): Reply {
  const type = 'https://tools.ietf.org/html/rfc9110#section-15.5.1';
  const problem = { type, title: 'One or more validation errors occurred.', status: 400, errors, traceId };
  return contentReply(400, 'application/problem+json', JSON.stringify(problem));
}

/** The 500 for an unexpected error, of which only the log tells. `instance` is the path of the request. */
export function unexpectedProblem(instance: string): Reply {
  const detail = 'Contact support if the problem persists.';
  const problem = { title: 'An unexpected error occurred.', status: 500, detail, instance }; // RFC 9457 4.2.1
  return contentReply(500, 'application/problem+json', JSON.stringify(problem));
}

// Only the server sets these, or leaves them out: another one could contradict it, for example on where the reply ends.
const OF_THE_SERVER = /^(?:connection|content-length|date|keep-alive|trailer|transfer-encoding)$/i;
const WITHOUT_CONTENT = [204, 304]; // nor a length: RFC 9110 8.6 and 15.4.5

/** All headers of a reply but those that Node adds. `isLast`: the connection ends with it. Throws if it is no reply. */
export function headersOf(reply: Reply, isLast: boolean): OutgoingHttpHeaders {
  if (Object(reply) !== reply) throw new TypeError(`A handler must return a reply, but this is ${typeof reply}.`);
  const { status, headers, body } = reply;
  const isFinal = Number.isInteger(status) && status >= 200 && status <= 999; // RFC 9110 15
  if (!isFinal) throw new RangeError(`A handler must not reply with ${status}.`);
  const isBody = typeof body === 'string' || body instanceof Uint8Array;
  if (!isBody) throw new TypeError('The body of a reply must be a string or bytes.');
  // Throws if the memory of the bytes now belongs to another thread. Node would throw later, where nobody catches it.
  if (typeof body !== 'string') Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const illegal = Object.keys(headers).find((name) => OF_THE_SERVER.test(name));
  if (illegal !== undefined) throw new TypeError(`A handler must not set ${illegal}: that is the server's.`);
  const all: OutgoingHttpHeaders = { ...headers }; // Node itself checks names and values (response splitting)
  if (!WITHOUT_CONTENT.includes(status)) all['Content-Length'] = Buffer.byteLength(body);
  else Object.entries(headers).forEach(checkField);
  if (isLast) all['Connection'] = 'close';
  return all;
}

/** A last reply without content as it is sent, for when Node makes no response. */
export function refusalText(status: number): string {
  const headers = { ...headersOf(emptyReply(status), true), Date: new Date().toUTCString() }; // RFC 9110 6.6.1
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', ''].join('\r\n');
}

// For 204 and 304, `writeHead` marks the response as one without content, and only then checks the headers. If it
// throws, the 500 on the same response has no content either. So these are checked before, as Node does it.
function checkField([name, header]: [string, OutgoingHttpHeader]): void {
  for (const value of [header].flat()) new OutgoingMessage().setHeader(name, value);
}
