// The rules for a head that Node's parser leaves open. refusals.ts says where each is from, and what it prevents.
import type { IncomingMessage } from 'node:http';
import { FIELD_LINES, type Reason } from './refusals.ts';
import { HttpRequest } from './request.ts';
import { isHostOf, parseHost, parseTarget, type Target } from './target.ts';

/** What is read here of what Node has parsed. */
export type Head = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers' | 'rawHeaders'>;

/** The rules that differ between servers. */
export type HeadRules = {
  readonly hostNames?: ReadonlySet<string | undefined> | undefined; // which may be asked for; undefined: any
  readonly takesHttps?: boolean; // whether a target may have the scheme https
  readonly needsHost?: boolean; // whether a request must name its host even in HTTP/1.0
};

/** The request that a head amounts to, and a function that returns the rule that it breaks, if any. */
export function readHead(head: Head, rules: HeadRules) {
  const { method = '', url = '', headers } = head;
  const target = parseTarget(method, url);
  const host = headers.host ?? (head.httpVersion === '1.0' ? target?.authority : undefined); // RFC 9112 3.2.2
  const request = new HttpRequest({ method, path: target?.path ?? '', query: target?.query ?? '', host, headers });
  return { request, check: () => faultIn(head, target, host, rules) };
}

function faultIn(
  head: Head, target: Target | undefined, text: string | undefined, rules: HeadRules,
): Reason | undefined {
  if (head.rawHeaders.length > 2 * FIELD_LINES) return 'tooManyFieldLines';
  if (target === undefined) return 'targetForm';
  const host = text === undefined ? undefined : parseHost(text);
  if (text !== undefined && host === undefined) return 'hostIllegal';
  // RFC 9112 3.2: one Host, and no other in the target: a proxy could have routed or cached by the one in the target.
  if (host === undefined && head.httpVersion !== '1.0') return 'hostMissing';
  if (host !== undefined && !isHostOf(target, host)) return 'hostMismatch';
  if (target.isHttps === true && rules.takesHttps !== true) return 'httpsWithoutTls';
  if (rules.hostNames?.has(host?.name ?? '') === false) return 'hostNotAllowed';
  if (host === undefined && rules.needsHost === true) return 'redirectWithoutHost';
  return faultInFields(head);
}

function faultInFields({ httpVersion, headers }: Head): Reason | undefined {
  const { expect, 'transfer-encoding': codings } = headers;
  const isHttp11 = httpVersion === '1.1';
  // RFC 9112 6.1 and 6.3: programs disagree on where content ends if it is not simply chunked, or in HTTP/1.0.
  if (codings !== undefined && !(isHttp11 && codings.toLowerCase() === 'chunked')) {
    const members = membersOf(codings);
    return members.length > 1 && members.at(-1) === 'chunked' ? 'codingUnsupported' : 'codingIllegal';
  }
  if (expect === undefined || !isHttp11) return undefined; // RFC 9110 10.1.1: in HTTP/1.0 it means nothing
  return membersOf(expect).every((member) => member === '100-continue') ? undefined : 'expectationUnknown';
}

// RFC 9110 5.6.1: the members of a list. Empty ones do not count.
function membersOf(list: string): string[] {
  return list.toLowerCase().split(',').map((member) => member.trim()).filter((member) => member !== '');
}
