// Node's request, with what its head says.
import { ParsedRequest } from '../http/parsed-request.ts';

const http = process.getBuiltinModule('node:http');

/** For node's `IncomingMessage` option. */
export class IncomingRequest extends http.IncomingMessage {
  #parsed: ParsedRequest | undefined;

  get parsed(): ParsedRequest {
    const { method = '', url = '', httpVersion, rawHeaders } = this;
    return (this.#parsed ??= new ParsedRequest(method, url, httpVersion, rawHeaders));
  }
}

const NO_HEADERS = Object.freeze({});

// Faster: node builds an object of all fields, only to look for content-length, transfer-encoding and expect. Without these it
// gets an empty one, 0.1 of a bare server with a browser's fields. (For the types it is a field, so this is no `override get`.)
Object.defineProperty(IncomingRequest.prototype, 'headers', {
  get(this: IncomingRequest) {
    const { contentLength, mustBeLast } = this.parsed;
    return contentLength === 0 && !mustBeLast ? NO_HEADERS : Reflect.get(http.IncomingMessage.prototype, 'headers', this);
  },
});
