// What the head of a request says, checked.
import type { Request } from './reply.ts';
import { parseHead } from './request-head.ts';
import { parseTarget, pathOfIllegalTarget } from './request-target.ts';
import { childTraceparent } from './trace-context.ts';

/** A request whose head has been parsed. Its `refusalStatus` says whether it is legal. */
export class ParsedRequest implements Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly host: string | undefined;
  /** The status that refuses the request, or 0 when it is legal. */
  readonly refusalStatus: number;
  /** How many bytes of content follow, which are received before the request is answered. Undefined: it is chunked. */
  readonly contentLength: number | undefined;
  /** The connection ends with the reply. */
  readonly mustBeLast: boolean;
  readonly #traceparent: string | undefined;
  #traceId: string | undefined;

  /** From a request line and its header fields (names and values, in turn). */
  constructor(method: string, target: string, httpVersion: string, fields: readonly string[]) {
    const head = parseHead(httpVersion, fields);
    const parsed = parseTarget(method, target, head.host);
    this.method = method;
    this.path = parsed?.path ?? pathOfIllegalTarget(target);
    this.query = parsed?.query ?? '';
    this.host = head.host;
    this.refusalStatus = head.refusalStatus || (parsed === undefined ? 400 : 0);
    this.contentLength = head.contentLength;
    this.mustBeLast = head.mustBeLast || this.refusalStatus !== 0;
    this.#traceparent = head.traceparent;
  }

  /** Generated when it is first read, which most requests never need, and then kept. */
  get traceId(): string {
    return (this.#traceId ??= childTraceparent(this.#traceparent));
  }
}
