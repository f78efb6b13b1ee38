// The exact bytes of the replies of this project's service, with a clock that stands still. `npm test` compares every
// reply with them, so that no byte of a reply changes unnoticed.
import type { ConstantEndpoint } from './endpoints.ts';
import { MAX_NAME_LENGTH, MIN_NAME_LENGTH } from './limits.ts';

/** The clock of the service in `npm test`. */
export const STILL_CLOCK = Date.UTC(2026, 10, 20, 10, 15, 30, 123);
const STILL_TIME = '2026-11-20T10:15:30.123+00:00';

export type Connection = 'close' | 'keep-alive';

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK', 400: 'Bad Request', 404: 'Not Found', 405: 'Method Not Allowed', 413: 'Payload Too Large', 414: 'URI Too Long', 417: 'Expectation Failed',
  421: 'Misdirected Request', 431: 'Request Header Fields Too Large', 500: 'Internal Server Error', 501: 'Not Implemented', 505: 'HTTP Version Not Supported',
};

// These replace the values that differ from reply to reply.
const ANY_DATE = 'Date: now';
const ANY_TRACE_ID = `00-${'x'.repeat(32)}-${'x'.repeat(16)}-xx`;

/** Received bytes, in which each well-formed date and trace id is replaced by ANY_DATE and ANY_TRACE_ID. */
export function withoutWhatVaries(bytes: Buffer): string {
  return bytes.toString('utf8')
    .replace(/^Date: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT(?=\r$)/gm, ANY_DATE)
    .replace(/"traceId":"00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]"/g, `"traceId":"${ANY_TRACE_ID}"`);
}

function reply(status: number, fields: readonly string[], connection: Connection, body: string): string {
  return [`HTTP/1.1 ${status} ${REASONS[status]}`, ...fields, ANY_DATE, `Connection: ${connection}`, '', body].join('\r\n');
}

function withBody(status: number, type: string, body: string, connection: Connection): string {
  const fields = [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff'];
  return reply(status, fields, connection, body);
}

export function healthy(connection: Connection = 'close'): string {
  return withBody(200, 'text/plain', 'Healthy', connection);
}

/** What an endpoint replies to every GET. */
export function constant({ mediaType, body }: ConstantEndpoint): string {
  return withBody(200, mediaType, body, 'close');
}

export function greeting(message: string): string {
  const content = JSON.stringify({ message, generatedAt: STILL_TIME });
  return withBody(200, 'application/json; charset=utf-8', content, 'close');
}

export const TOO_SHORT = `The name is empty: ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters are accepted.`;
export const ONLY_SPACE = 'The name is only white space: at least one other character is needed.';
export const tooLong = (length: number) => `The name has ${length} characters: ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} are accepted.`;

/** The 400. `errors` has for each parameter that breaks a rule the message about it. */
export function invalid(errors: Readonly<Record<string, string>>): string {
  const content = JSON.stringify({
    type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    errors: Object.fromEntries(Object.entries(errors).map(([parameter, error]) => [parameter, [error]])),
    traceId: ANY_TRACE_ID,
  });
  return withBody(400, 'application/problem+json', content, 'close');
}

export function failed(path: string): string {
  const content = JSON.stringify({
    title: 'An unexpected error occurred.',
    status: 500,
    detail: 'Contact support if the problem persists.',
    instance: path,
  });
  return withBody(500, 'application/problem+json', content, 'close');
}

/** A reply without content: 404, 405 and every refusal. */
export function empty(status: number, connection: Connection = 'close'): string {
  return reply(status, [...(status === 405 ? ['Allow: GET'] : []), 'Content-Length: 0'], connection, '');
}
