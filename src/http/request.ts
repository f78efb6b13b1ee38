// A legal request: as a handler sees it, and with what the connection needs to know of it.
import { childTraceparent } from './trace-context.ts';

/** A legal request, as a handler sees it. */
export type Request = {
  readonly method: string;
  readonly path: string; // without the query. `*` for `OPTIONS *`.
  readonly query: string; // without its `?`, as sent; empty when there is none
  readonly host: string | undefined; // as sent, with the port if there is one. HTTP/1.0 may leave it out.
  readonly traceparent: string; // of this service (W3C Trace Context). Its trace id is that of the caller, if the caller has sent one.
};

type Head = Omit<Request, 'traceparent'> & {
  readonly contentLength: number | undefined; // how many bytes of content follow. Undefined: it is chunked.
  readonly isLast: boolean; // the connection ends with the reply
  readonly parent: string | undefined; // the `traceparent` that the client has sent
};

/** A request that breaks no rule. */
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
