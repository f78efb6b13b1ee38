// A legal request, and the refusal of anything else.
import type { Reason } from './refusals.ts';
import { childTraceparent } from './trace-context.ts';

/** What ties a request to a trace: the `traceparent` that its client has sent, and its own, once that is needed. */
type Traced = { readonly parent: string | undefined; own?: string };

/** The `traceparent` of a request itself, in the trace of its client, if any. It is generated when first asked for: few need it. */
export function traceparentOf(request: Traced): string { return (request.own ??= childTraceparent(request.parent)); }

/** A request, as a handler sees it. */
export type Request = Traced & {
  readonly method: string;
  readonly path: string; // without the query. `*` for `OPTIONS *`.
  readonly query: string; // without its `?`, as sent; empty when there is none
  readonly host: string | undefined; // as sent, with the port if there is one. HTTP/1.0 may leave it out.
};

/** A request that breaks no rule, with what only the connection needs to know. */
export type LegalRequest = Request & {
  readonly contentLength: number | undefined; // how many bytes of content are read before the reply. Undefined: it is chunked.
  readonly isLast: boolean; // the connection ends with the reply
};

/** What is known of a request, for the log. The path of a refused target has no authority, and may be empty. */
export type Known = Traced & Partial<Pick<Request, 'method' | 'path'>>;

/** A refused request, and the rule that it breaks. */
export type Refusal = { readonly reason: Reason; readonly request: Known };
