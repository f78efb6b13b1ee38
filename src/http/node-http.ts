// Node's HTTP module, and what it makes for each exchange: a request that is read already, and a response
// that takes its bytes as they are.
import type { Reply, Request } from './reply.ts';
import { readHead, type Head } from './request-head.ts';
import { readTarget } from './request-target.ts';
import { childTraceparent } from './trace-context.ts';

// `import … from 'node:http'` in an ES module evaluates every export of it, the lazy ones included,
// and so loads node's whole `fetch`. Asking for a built-in module by name does not.
export const http = process.getBuiltinModule('node:http');

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
    return this.hasContent || this.isLast ? allHeaders?.get?.call(this) : NONE;
  },
});

/**
 * For node's `ServerResponse` option. Node's own checks and joins a list of names and values for each reply;
 * ours are joined beforehand, which makes a request cheaper by a tenth and more. Node checks nothing of them
 * then: what came from outside must have been checked before.
 */
export class ByteResponse extends http.ServerResponse<IncomingRequest> {
  declare _header: string; // what is in it goes out as it is, and node makes no head of its own then
  declare _last: boolean; // node closes the connection when the response has been sent

  /** Sends the reply, in its turn. */
  send(reply: Reply): void {
    this.statusCode = reply.status; // for observers
    if (!this.shouldKeepAlive) this._last = true;
    this._header = replyBytes(reply, !this.shouldKeepAlive);
    this.end();
  }
}

/** The bytes of a reply, a character each. After the last one on a connection it is closed (RFC 9112 9.6). */
export function replyBytes({ status, headers, body }: Reply, isLast: boolean): string {
  const { keepAlive, close } = currentEnds();
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${headers}${isLast ? close : keepAlive}${body}`;
}

let ends: { readonly keepAlive: string; readonly close: string } | undefined;

// The ends of a head, with its Date (RFC 9110 6.6.1). They serve for a second: looking at the clock for
// each reply would cost more than all other fields.
function currentEnds() {
  if (ends === undefined) {
    const now = new Date();
    const date = `Date: ${now.toUTCString()}\r\n`;
    ends = { keepAlive: `${date}Connection: keep-alive\r\n\r\n`, close: `${date}Connection: close\r\n\r\n` };
    setTimeout(() => (ends = undefined), 1000 - now.getMilliseconds()).unref();
  }
  return ends;
}
