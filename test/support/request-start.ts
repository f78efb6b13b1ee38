// Tells when node has parsed the head of a request: https://nodejs.org/api/diagnostics_channel.html#http
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

const CHANNEL = 'http.server.request.start';

export type RequestStart = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly socket: unknown };

/** Resolves when a server of this process has parsed the next head. */
export function requestStart(): Promise<RequestStart> {
  return new Promise((resolve) => {
    function tell(message: unknown): void {
      unsubscribe(CHANNEL, tell);
      resolve(startIn(message));
    }
    subscribe(CHANNEL, tell);
  });
}

/** All requests whose heads the servers of this process parse until the test ends, in the order of their heads. */
export function requestStarts(t: TestContext): readonly RequestStart[] {
  const starts: RequestStart[] = [];
  const add = (message: unknown) => starts.push(startIn(message));
  subscribe(CHANNEL, add);
  t.after(() => unsubscribe(CHANNEL, add));
  return starts;
}

function startIn(message: unknown): RequestStart {
  if (typeof message === 'object' && message !== null && 'request' in message && 'response' in message && 'socket' in message) {
    const { request, response, socket } = message;
    if (request instanceof IncomingMessage && response instanceof ServerResponse) return { request, response, socket };
  }
  throw new TypeError('Not the start of a request');
}
