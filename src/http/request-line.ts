// The first line of a request (RFC 9112 3).
import { Refusal } from './request.ts';
import { parseTarget, pathOfIllegalTarget, type Target } from './request-target.ts';
import { childTraceparent } from './trace-context.ts';

export type RequestLine = {
  readonly method: string;
  readonly target: Target;
  readonly isHttp11: boolean; // HTTP/1.1, or a later minor version, which is read as HTTP/1.1 (RFC 9110 2.5). Otherwise it is HTTP/1.0.
};

// method SP request-target SP HTTP-version, with one space each: with more, programs disagree on what the target is. A method is
// any token (RFC 9110 9.1 and 5.6.2). Which characters a target may have is said in request-target.ts.
const REQUEST_LINE = /^[\w!#$%&'*+\-.^`|~]+ [!-~]+ HTTP\/\d\.\d$/;

/** Parses a request line, without its CR LF, or refuses it. */
export function parseRequestLine(line: string): RequestLine | Refusal {
  if (!REQUEST_LINE.test(line)) return new Refusal(400);
  const end = line.indexOf(' ');
  const method = line.slice(0, end), text = line.slice(end + 1, -' HTTP/1.1'.length);
  const isHttp1 = line.at(-3) === '1';
  const target = isHttp1 ? parseTarget(method, text) : undefined;
  if (target !== undefined) return { method, target, isHttp11: !line.endsWith('0') };
  const status = isHttp1 ? 400 : 505; // RFC 9110 15.6.6: another major version, also the preface of HTTP/2
  return new Refusal(status, { method, path: pathOfIllegalTarget(text), traceparent: childTraceparent(undefined) });
}
