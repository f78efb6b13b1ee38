// Node reads two or three fields of `headers` itself, for every request, and the getter builds an object
// of all fields for that. A request without content and expectations has none of those that node reads.
import { http } from './node-modules.ts';
import { readHead } from './request-head.ts';

/** For node's `IncomingMessage` option. */
export class LeanMessage extends http.IncomingMessage {}

const NONE = Object.freeze({});
const allHeaders = Object.getOwnPropertyDescriptor(http.IncomingMessage.prototype, 'headers');

Object.defineProperty(LeanMessage.prototype, 'headers', {
  get(this: LeanMessage) {
    const { refusal, hasContent, isLast } = readHead(this.httpVersion, this.rawHeaders);
    return refusal === 0 && !hasContent && !isLast ? NONE : allHeaders?.get?.call(this);
  },
});
