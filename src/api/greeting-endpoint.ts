// GET /api/greetings replies with a greeting for the name in the query, or for the world.
import { validationProblem } from '../http/problem.ts';
import { contentReply, emptyReply, type Handler, type Reply } from '../http/reply.ts';
import { DEFAULT_PARAMETERS, parseGreetingQuery } from './greeting-query.ts';
import { formatTimeStamp, greet, type Greeting } from './greeting.ts';

function replyWith(greeting: Greeting): Reply {
  return contentReply(200, 'application/json; charset=utf-8', JSON.stringify(greeting));
}

/** Makes the endpoint. `now` is its clock, which returns milliseconds since the epoch. */
export function createGreetingEndpoint(now: () => number): Handler {
  // Faster: all greetings of one millisecond share one time stamp, and those without a query the whole reply.
  let latest = { time: Number.NaN, text: '', reply: emptyReply(200) };
  function at(time: number): typeof latest {
    if (time === latest.time) return latest;
    const text = formatTimeStamp(time);
    return (latest = { time, text, reply: replyWith(greet(DEFAULT_PARAMETERS, text)) });
  }

  return ({ query, traceparent }) => {
    if (query === '') return at(now()).reply;
    const result = parseGreetingQuery(query);
    if ('errors' in result) return validationProblem(result.errors, traceparent);
    return replyWith(greet(result.parameters, at(now()).text));
  };
}
