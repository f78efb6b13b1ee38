// GET /api/greetings: a greeting for the name in the query, or for the world.
import { validationProblem } from '../http/problem.ts';
import { contentReply, type Handler, type Reply } from '../http/reply.ts';
import { greet } from './greeting.ts';
import { DEFAULT_NAME, nameError, nameFrom } from './name.ts';

/** The endpoint, with the clock that it reads: `now` returns milliseconds since the epoch. */
export function createGreetings(now: () => number): Handler {
  const greetWorld = worldGreeter();
  return (request) => {
    if (request.query === '') return greetWorld(now());
    const name = nameFrom(request.query);
    const error = nameError(name);
    if (error !== undefined) return validationProblem({ name: [error] }, request.traceId);
    return greetingReply(name, now());
  };
}

function greetingReply(name: string, now: number): Reply {
  const { message, generatedAt } = greet(name, now);
  // A time-stamp has nothing to escape, so only the message is left to JSON.stringify.
  const body = `{"message":${JSON.stringify(message)},"generatedAt":"${generatedAt}"}`;
  return contentReply(200, 'application/json; charset=utf-8', body);
}

// All who ask without a name in the same millisecond get the same reply, so it is made once for them.
function worldGreeter(): (now: number) => Reply {
  let reply: Reply | undefined;
  let madeAt: number;
  return (now) => {
    if (reply === undefined || now !== madeAt) reply = greetingReply(DEFAULT_NAME, now);
    madeAt = now;
    return reply;
  };
}
