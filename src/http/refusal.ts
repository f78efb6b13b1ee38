// What becomes of bytes that are no legal request. It is not a `LegalRequest`, so no handler can be given one.
import type { Request } from './request.ts';

type Known = { readonly [name in 'method' | 'path' | 'traceparent']?: Request[name] | undefined };

/** The status says why the request is refused. The rest is for the log, as far as it is known. */
export class Refusal {
  readonly status: number;
  readonly method: string | undefined;
  readonly path: string | undefined; // without the query and the authority; empty when the target has no path
  readonly traceparent: string | undefined;

  constructor(status: number, { method, path, traceparent }: Known = {}) {
    this.status = status;
    this.method = method;
    this.path = path;
    this.traceparent = traceparent;
  }
}
