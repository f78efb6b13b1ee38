// GET /api/greetings replies with a greeting for the name in the query, or for the world.
import { validationProblem } from '../http/problem.ts';
import { contentReply, type Reply } from '../http/reply.ts';
import type { Request } from '../http/request.ts';
import { parseGreetingQuery } from './greeting-query.ts';
import { greet } from './greeting.ts';
import { createTimestamps } from './timestamp.ts';

/** Makes the endpoint. `now` is its clock, which returns milliseconds since the epoch. */
export function createGreetingEndpoint(now: () => number): (request: Pick<Request, 'query' | 'traceparent'>) => Reply {
  const timestamp = createTimestamps(now);
  return (request) => {
    const result = parseGreetingQuery(request.query);
    if ('errors' in result) return validationProblem(result.errors, request.traceparent);
    const content = { message: greet(result.parameters), generatedAt: timestamp() };
    return contentReply(200, 'application/json; charset=utf-8', JSON.stringify(content));
  };
}
