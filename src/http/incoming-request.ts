// Node's request, which parses itself when it is first asked what it says.
import type { ServerResponse } from 'node:http';
import type { OpenRecord } from './reports.ts';
import { http } from './node-http.ts';
import { ParsedRequest } from './parsed-request.ts';

/** For node's `IncomingMessage` option. */
export class IncomingRequest extends http.IncomingMessage {
  #parsed: ParsedRequest | undefined;
  /** Its access record, when there is an access log. */
  record: OpenRecord | undefined;

  get parsed(): ParsedRequest {
    return (this.#parsed ??= new ParsedRequest(this.method ?? '', this.url ?? '', this.httpVersion, this.rawHeaders));
  }

  /** Drops the header fields, which have been parsed. They may take 30 KiB. */
  forgetFields(): void {
    this.rawHeaders = [];
    Reflect.set(http.IncomingMessage.prototype, 'headers', NO_HEADERS, this);
  }

  // When a connection closes, node destroys its requests one by one. Thousands of them may have been parsed after the
  // client was cut off (see cut-off.ts). They have not been looked at and hold nothing, so destroying them would only take time.
  override destroy(error?: Error): this {
    return this.#parsed === undefined ? this : super.destroy(error);
  }
}

/** Node's response to it. */
export type Response = ServerResponse<IncomingRequest>;

const NO_HEADERS = Object.freeze({});

// Faster: node builds an object of all fields for every request, only to look for content-length, transfer-encoding and
// expect. A legal request that has no content and need not be the last one has none of these, or they have no effect,
// such as `Content-Length: 0`. So node gets an empty object, 0.09 of the floor with a browser's fields. (This is not an
// `override get`, because the types say that `headers` is a field. In node it is an accessor.)
Object.defineProperty(IncomingRequest.prototype, 'headers', {
  get(this: IncomingRequest) {
    if (this.socket.destroyed) return NO_HEADERS; // it will not be answered
    const { hasContent, mustBeLast } = this.parsed;
    return hasContent || mustBeLast ? Reflect.get(http.IncomingMessage.prototype, 'headers', this) : NO_HEADERS;
  },
});
