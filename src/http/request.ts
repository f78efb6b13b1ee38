// A request as a handler sees it: an object without a socket, so tests need none.
import type { IncomingHttpHeaders } from 'node:http';
import type { Reply } from './reply.ts';
import { childTraceparent } from './trace-context.ts';

/** Answers a request, at once or later. What it throws, or rejects with, becomes a 500. */
export type Handler = (request: HttpRequest) => Reply | Promise<Reply>;

/** The parameters in a path, by name. */
export type Params = Readonly<Record<string, string>>;

/** Why a request was aborted: probably nobody waits for the reply of its handler any more. */
export const ABORTS = {
  closed: 'The connection has closed.',
  halfClosed: 'The client has closed its side of the connection.',
  stopped: 'The service has stopped.',
  refused: 'The request has been refused.',
  dropped: 'The service has closed the connection.',
  tooSlow: 'The handler has taken too long.',
} as const;

type Parts = Pick<HttpRequest, 'method' | 'path' | 'query' | 'host' | 'headers'>;

const NO_PARAMS: Params = {};
const NO_CONTENT: Buffer = Buffer.alloc(0);

export class HttpRequest {
  readonly method: string;
  readonly path: string; // as sent, without the query; `*` for `OPTIONS *`
  readonly query: string; // as sent, without its `?`; empty if there is none
  readonly host: string | undefined; // as sent, with the port if there is one; HTTP/1.0 may leave it out
  readonly headers: IncomingHttpHeaders; // Node's own: names are in lower case, and repeated fields joined
  remoteAddress: string | undefined; // of the client; undefined: on a Unix socket
  params = NO_PARAMS; // decoded
  content = NO_CONTENT; // if its route wants it
  #traceparent: string | undefined;
  #abortion: AbortController | undefined;

  constructor({ method, path, query, host, headers }: Parts) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.host = host;
    this.headers = headers;
  }

  /** The `traceparent` of this request, in its client's trace, if any. It is made when first asked for: few need it. */
  get traceparent(): string {
    this.#traceparent ??= childTraceparent(this.headers['traceparent']);
    return this.#traceparent;
  }

  /** Is aborted if nobody waits any more for what the handler returns. It is made when first asked for. */
  get signal(): AbortSignal {
    this.#abortion ??= new AbortController();
    return this.#abortion.signal;
  }

  /** Aborts the signal of a request, for the server: handlers have no such method. */
  static abort(request: HttpRequest, why: keyof typeof ABORTS): void {
    request.#abortion ??= new AbortController();
    request.#abortion.abort(new DOMException(ABORTS[why], 'AbortError'));
  }
}
