// What the benchmark and the fleet ask of the API. A service of your own has other requests and replies.
import { randomUUID } from 'node:crypto';

/** A path; with it, a short GET with a 200, and a longer one. */
export const PATH = '/api/greetings';
export const TARGET = PATH;
export const WITH_QUERY = `${PATH}?name=Ada%20Lovelace`;

/** What other servers reply, beside which this one is measured. */
export const REPLY = { message: 'Hello, World!', generatedAt: '2026-11-20T10:15:30.123+00:00' };

/** A request, another one each time, and what its reply contains. */
export function anyRequest() {
  const name = randomUUID();
  return { path: `${PATH}?name=${name}`, expected: `Hello, ${name}!` };
}
