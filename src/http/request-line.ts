// The first line of a request (RFC 9112 3).
import type { Known } from './messages.ts';
import type { Reason } from './refusals.ts';
import { parseTarget, type Target } from './request-target.ts';

export type RequestLine = {
  readonly method: string;
  readonly target: Target;
  readonly isHttp11: boolean; // HTTP/1.1, or a later minor version, which is read as HTTP/1.1 (RFC 9110 2.5). Otherwise it is HTTP/1.0.
};

// method SP request-target SP HTTP-version, separated by single spaces: with more, programs disagree on what the target is. A method is
// any token (RFC 9110 9.1 and 5.6.2). request-target.ts says which characters a target may contain.
const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) ([!-~]+) HTTP\/(\d)\.(\d)$/;

/** Parses a request line, without its CR LF. Returns it, or the rule that it breaks. */
export function parseRequestLine(line: string): RequestLine | Reason {
  const match = REQUEST_LINE.exec(line);
  if (match === null) return /[\x80-\xff]/.test(line) ? 'requestLineNotAscii' : 'requestLineForm';
  const [, method = '', text = '', major, minor] = match;
  if (major !== '1') return 'versionUnsupported'; // another major version, or the preface of HTTP/2
  if (method === 'CONNECT') return 'connectUnsupported'; // RFC 9110 15.6.2: no resource here supports it: the service is not a proxy
  const target = parseTarget(method, text);
  return typeof target === 'string' ? target : { method, target, isHttp11: minor !== '0' };
}

// The path of a target, legal or not. The rest may hold names and user information (RFC 9110 4.2.4).
const PATH = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?(\/[^?#]*)/i;

/** What may be logged of a refused request with this line. Nothing, if it does not have the form of a request line. */
export function loggablePartsOf(line: string, parent: string | undefined): Known {
  const [, method, target = ''] = REQUEST_LINE.exec(line) ?? [];
  return method === undefined ? { parent } : { method, path: PATH.exec(target)?.[1] ?? '', parent };
}
