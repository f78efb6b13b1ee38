// A request as it has come in: judged, split, and with a trace id for those who ask.
import type { IncomingMessage } from 'node:http';
import type { Request } from './reply.ts';
import { readHead } from './request-head.ts';
import { readTarget } from './request-target.ts';
import { childTraceparent } from './trace-context.ts';

export class IncomingRequest implements Request {
  readonly message: IncomingMessage;
  readonly method: string;
  /** As sent, without the query; of an illegal target, what comes before anything that may be one. */
  readonly path: string;
  readonly query: string;
  readonly host: string | undefined;
  /** The status that refuses the request, or 0 when it is legal. */
  readonly refusal: number;
  readonly hasContent: boolean;
  readonly isLast: boolean;
  readonly #traceparent: string | undefined;
  #traceId: string | undefined;

  constructor(message: IncomingMessage) {
    const { method = '', url = '', httpVersion, rawHeaders } = message;
    const head = readHead(httpVersion, rawHeaders);
    const target = readTarget(method, url, head.host);
    this.message = message;
    this.method = method;
    this.path = target === undefined ? url.replace(/[?#].*/, '') : target.path;
    this.query = target === undefined ? '' : target.query;
    this.host = head.host;
    this.refusal = head.refusal === 0 && target === undefined ? 400 : head.refusal;
    this.#traceparent = head.traceparent;
    this.hasContent = head.hasContent;
    this.isLast = head.isLast;
  }

  /** Drawn when it is first asked for, which most requests never do, and then kept. */
  get traceId(): string {
    return (this.#traceId ??= childTraceparent(this.#traceparent));
  }
}
