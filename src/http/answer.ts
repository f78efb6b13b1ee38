// Calls a handler. Whatever it does, there is one reply.
import { unexpectedProblem, type Reply } from './reply.ts';
import type { Handler, HttpRequest } from './request.ts';

/**
 * Calls `handler`, and gives its reply to `write`, at once or later. If the handler or `write` fails,
 * `failed` gets the error, and `write` is called with a 500.
 */
export function answer(
  handler: Handler, request: HttpRequest, write: (reply: Reply) => void, failed: (error: unknown) => void,
): void {
  function fail(error: unknown): void {
    failed(error);
    write(unexpectedProblem(request.path));
  }
  try {
    const reply = handler(request);
    if ('then' in reply) void Promise.resolve(reply).then(write).catch(fail);
    else write(reply); // without waiting for a promise
  } catch (error) {
    fail(error);
  }
}
