// GET /api/greetings: a greeting for the name in the query, or for the world.
import { validationProblem } from '../http/problem.ts';
import { contentReply, type Endpoint } from '../http/reply.ts';
import { greet } from './greeting.ts';
import { nameError, nameFrom } from './name.ts';

/** The endpoint, with the clock that it reads: `now` returns milliseconds since the epoch. */
export function greetings(now: () => number): Endpoint {
  return (request) => {
    const name = nameFrom(request.query);
    const error = nameError(name);
    if (error !== undefined) return validationProblem({ name: [error] }, request.traceId);
    return contentReply(200, 'application/json; charset=utf-8', JSON.stringify(greet(name, now())));
  };
}
