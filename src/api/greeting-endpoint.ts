// GET /api/greetings replies with a greeting for the name in the query, or for the world.
import { contentReply, validationProblem, type Reply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import { formatTimestamp, greet } from './greeting.ts';
import { faultInName, readName } from './name.ts';

type Asked = Pick<HttpRequest, 'query' | 'traceparent'>; // all that is read of a request

/** Makes the endpoint. `now` is its clock, which returns milliseconds since the epoch. */
export function createGreetingEndpoint(now: () => number): (request: Asked) => Reply {
  return (request) => {
    const name = readName(request.query);
    const fault = faultInName(name); // a second parameter would have its own: both go into `errors`
    if (fault !== undefined) return validationProblem({ name: [fault] }, request.traceparent);
    const greeting = { message: greet(name), generatedAt: formatTimestamp(now()) };
    return contentReply(200, 'application/json; charset=utf-8', JSON.stringify(greeting));
  };
}
