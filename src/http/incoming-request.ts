// A request as node hands it over: judged, split, and with a trace id for those who ask.
import { http } from './node-modules.ts';
import type { Request } from './reply.ts';
import { readHead, type Head } from './request-head.ts';
import { readTarget } from './request-target.ts';
import { childTraceparent } from './trace-context.ts';

type Reading = {
  readonly refusal: number;
  readonly path: string;
  readonly query: string;
  readonly head: Head;
};

/** For node's `IncomingMessage` option. */
export class IncomingRequest extends http.IncomingMessage implements Request {
  #reading: Reading | undefined;
  #traceId: string | undefined;

  get #read(): Reading {
    return (this.#reading ??= read(this));
  }

  /** The status that refuses the request, or 0 when it is legal. */
  get refusal(): number {
    return this.#read.refusal;
  }

  get host(): string | undefined {
    return this.#read.head.host;
  }

  /** As sent, without the query; of an illegal target, what comes before anything that may be one. */
  get path(): string {
    return this.#read.path;
  }

  get query(): string {
    return this.#read.query;
  }

  /** Content follows, and is to be read before the answer. */
  get hasContent(): boolean {
    return this.#read.head.hasContent;
  }

  /** The answer is the last one on its connection. */
  get isLast(): boolean {
    return this.#read.head.isLast;
  }

  /** Drawn when it is first asked for, which most requests never do, and then kept. */
  get traceId(): string {
    return (this.#traceId ??= childTraceparent(this.#read.head.traceparent));
  }
}

function read({ method = '', url = '', httpVersion, rawHeaders }: IncomingRequest): Reading {
  const head = readHead(httpVersion, rawHeaders);
  const target = readTarget(method, url, head.host);
  if (target !== undefined) return { refusal: head.refusal, path: target.path, query: target.query, head };
  return { refusal: head.refusal === 0 ? 400 : head.refusal, path: url.replace(/[?#].*/, ''), query: '', head };
}

// Node reads two or three fields of `headers` itself, for every request, and its getter builds an object
// of all fields for that. A request without content and expectations has none of those that node reads.
const NONE = Object.freeze({});
const allHeaders = Object.getOwnPropertyDescriptor(http.IncomingMessage.prototype, 'headers');

Object.defineProperty(IncomingRequest.prototype, 'headers', {
  get(this: IncomingRequest) {
    return this.refusal === 0 && !this.hasContent && !this.isLast ? NONE : allHeaders?.get?.call(this);
  },
});
