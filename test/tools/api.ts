// What the benchmark and the fleet ask of the API. A service of your own has other requests and replies.
import { randomUUID } from 'node:crypto';

/** A request with a 200, one with a query, and one with a 400. */
export const TARGET = '/api/greetings';
export const WITH_QUERY = `${TARGET}?name=Ada%20Lovelace`;
export const INVALID = `${TARGET}?name=`;

/** What other servers reply, beside which this one is measured. */
export const REPLY = { message: 'Hello, World!', generatedAt: '2026-11-20T10:15:30.123+00:00' };

/** A request, another one each time, and what its reply contains. */
export function anyRequest() {
  const name = randomUUID();
  return { path: `${TARGET}?name=${name}`, expected: `Hello, ${name}!` };
}
