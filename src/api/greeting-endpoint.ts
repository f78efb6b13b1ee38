// GET /api/greetings replies with a greeting for the name in the query, or for the world.
import { contentReply, traceparentOf, validationProblem, type Reply, type Request } from '../http/messages.ts';
import { parseGreetingQuery } from './greeting-query.ts';
import { formatTimestamp, greet } from './greeting.ts';

/** Makes the endpoint. `now` is its clock, which returns milliseconds since the epoch. */
export function createGreetingEndpoint(now: () => number): (request: Pick<Request, 'query' | 'parent' | 'own'>) => Reply {
  return (request) => {
    const result = parseGreetingQuery(request.query);
    if ('errors' in result) return validationProblem(result.errors, traceparentOf(request));
    const content = { message: greet(result.parameters), generatedAt: formatTimestamp(now()) };
    return contentReply(200, 'application/json; charset=utf-8', JSON.stringify(content));
  };
}
