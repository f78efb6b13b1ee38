// What is read from a connection: a legal request, or a refusal. They are two types, so that no handler can be given an illegal request.
import type { Request } from './reply.ts';
import { childTraceparent } from './trace-context.ts';

/** Bytes that are no legal request. The status says why. The rest is for the log, as far as it is known. */
export class Refusal {
  readonly status: number;
  readonly method: string | undefined;
  readonly path: string | undefined; // without the query and the authority; empty when the target has no path
  readonly traceparent: string | undefined;

  constructor(status: number, known: { readonly [name in 'method' | 'path' | 'traceparent']?: string | undefined } = {}) {
    this.status = status;
    this.method = known.method;
    this.path = known.path;
    this.traceparent = known.traceparent;
  }
}

type Head = Omit<Request, 'traceparent'> & {
  readonly contentLength: number | undefined; // how many bytes of content follow. Undefined: it is chunked.
  readonly isLast: boolean; // the connection ends with the reply
  readonly parent: string | undefined; // the `traceparent` that the client has sent
};

/** A request that keeps all rules. */
export class LegalRequest implements Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly host: string | undefined;
  readonly contentLength: number | undefined;
  readonly isLast: boolean;
  readonly #parent: string | undefined;
  #traceparent: string | undefined;

  constructor({ method, path, query, host, contentLength, isLast, parent }: Head) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.host = host;
    this.contentLength = contentLength;
    this.isLast = isLast;
    this.#parent = parent;
  }

  /** Generated when it is first read, which most requests never need, and then kept. */
  get traceparent(): string { return (this.#traceparent ??= childTraceparent(this.#parent)); }
}
