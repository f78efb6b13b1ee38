// A legal request, and the refusal of anything else.
import type { Reason } from './refusals.ts';
import { childTraceparent } from './trace-context.ts';

type Head = Omit<LegalRequest, 'traceparent'> & { readonly parent: string | undefined }; // the `traceparent` that the client has sent

/** A request that breaks no rule: what a handler sees of it, and what only the connection needs to know. */
export class LegalRequest {
  readonly method: string;
  readonly path: string; // without the query. `*` for `OPTIONS *`.
  readonly query: string; // without its `?`, as sent; empty when there is none
  readonly host: string | undefined; // as sent, with the port if there is one. HTTP/1.0 may leave it out.
  readonly contentLength: number | undefined; // how many bytes of content are read before the reply. Undefined: it is chunked.
  readonly isLast: boolean; // the connection ends with the reply
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

  /** This request's own `traceparent`, in the trace of its caller, if any. It is generated when first read: few requests need it. */
  get traceparent(): string { return (this.#traceparent ??= childTraceparent(this.#parent)); }
}

/** A request, as a handler sees it. */
export type Request = Pick<LegalRequest, 'method' | 'path' | 'query' | 'host' | 'traceparent'>;

/** What is known of a request, for the log. The path of a refused target has no authority, and may be empty. */
export type Known = Partial<Pick<Request, 'method' | 'path' | 'traceparent'>>;

/** A refused request, and the rule that it breaks. It is not a `LegalRequest`, so it cannot be given to a handler. */
export type Refusal = { readonly reason: Reason; readonly request: Known };
