// The way of a request: from node's parser to the router, to an endpoint, and back as bytes.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { http } from './node-http.ts';
import { unexpectedProblem } from './problem.ts';
import type { Reply, Request } from './reply.ts';
import { route, type Routes } from './router.ts';
import { childTraceparent } from './trace-context.ts';

/** Told of everything that an endpoint or the pipeline throws, whatever its type. */
export type ReportError = (error: unknown, traceId: string) => void;

const KEEP_ALIVE_TIMEOUT_MS = 75_000; // above the 60 s that load balancers commonly keep idle connections

/** A server, not yet listening, that answers by `routes` and turns what is thrown into a 500. */
export function createServer(routes: Routes, reportError: ReportError): Server {
  return http.createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, answer(routes, reportError));
}

function answer(routes: Routes, reportError: ReportError): RequestListener {
  return (message, response) => {
    const { method, url = '' } = message;
    const queryAt = url.indexOf('?');
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const request = new LazyRequest(message, queryAt === -1 ? '' : url.slice(queryAt + 1));
    try {
      send(response, route(routes, method, path)(request));
    } catch (error) {
      reportError(error, request.traceId);
      send(response, unexpectedProblem(path));
    }
  };
}

// The one place that writes replies.
function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, reply.headers);
  response.end(reply.body, reply.encoding);
}

// Most requests never ask for their trace id, so it is drawn when one does, and then kept.
class LazyRequest implements Request {
  readonly query: string;
  readonly #message: IncomingMessage;
  #traceId: string | undefined;

  constructor(message: IncomingMessage, query: string) {
    this.query = query;
    this.#message = message;
  }

  get traceId(): string {
    const parents = this.#message.headersDistinct['traceparent'];
    return (this.#traceId ??= childTraceparent(parents?.length === 1 ? parents[0] : undefined));
  }
}
