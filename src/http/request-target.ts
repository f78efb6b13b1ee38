// The target of a request (RFC 9112 3.2), and the host that it names (RFC 3986 3.2.2).
import type { Reason } from './refusals.ts';

export type Target = {
  readonly path: string;
  readonly query: string; // without its `?`; empty when there is none
  /** Of a target in absolute-form: its host and port, and whether its scheme is https. head.ts checks both. */
  readonly authority?: string; readonly isHttps?: boolean;
};

// RFC 9112 3.2.1: a path of pchar (RFC 3986 3.3), and perhaps a query, which may have any visible ASCII except `#`: browsers send more in
// one than RFC 3986 allows. Programs disagree on a path with anything else, such as `\`, so it could get past the rules of a proxy.
const ORIGIN_FORM = /^\/(?:[\w\-.~!$&'()*+,;=:@/]|%[\dA-Fa-f]{2})*(?:\?[!"$-~]*)?$/;
const ABSOLUTE_FORM = /^http(s?):\/\/([^/?]*)(.*)$/i;

/** The target, or the rule that it breaks. One without a path (RFC 9112 3.2.3, 3.2.4) is itself the `path`, which matches no route. */
export function parseTarget(method: string, target: string): Target | Reason {
  if (method === 'CONNECT') return isHost(target) && PORT.test(target) ? { path: target, query: '' } : 'targetForm';
  if (target.startsWith('/')) return parseOriginForm(target);
  if (target === '*') return method === 'OPTIONS' ? { path: '*', query: '' } : 'targetForm';
  const [, s, authority, rest = ''] = ABSOLUTE_FORM.exec(target) ?? [];
  if (authority === undefined) return 'targetForm';
  const parsed = parseOriginForm(rest.startsWith('/') ? rest : `/${rest}`);
  return typeof parsed === 'string' ? parsed : { ...parsed, authority, isHttps: s !== '' };
}

/** The path of a refused target, or ''. The rest must not be logged: it may hold names and user information (RFC 9110 4.2.4). */
export function loggablePathOf(target: string): string {
  const path = target.replace(/[?#].*/s, '').replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
  return path.startsWith('/') ? path : '';
}

function parseOriginForm(target: string): Target | Reason {
  if (!ORIGIN_FORM.test(target)) return 'targetCharacter';
  const end = target.indexOf('?');
  return end === -1 ? { path: target, query: '' } : { path: target.slice(0, end), query: target.slice(end + 1) };
}

// uri-host [ ":" port ] (RFC 9110 7.2). RFC 3986 also allows a colon without a port, and a comma in a name. Both are
// refused here, the comma because a proxy may join two Host lines into one, with a comma between them. A port is at most 65535.
const NAME = /\[[\dA-Fa-f:.]+\]|(?:[\w\-.~!$&'()*+;=]|%[\dA-Fa-f]{2})+/.source;
const LEGAL_PORT = /:(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])/.source;
const HOST = new RegExp(`^(?:${NAME})(?:${LEGAL_PORT})?$`);
const NAME_AND_COLON = new RegExp(`^(?:${NAME}):`);
const PORT = /:\d+$/;

/** Whether `host` is a legal value of the Host field, and not an empty one. */
export function isHost(host: string): boolean {
  return HOST.test(host) && (!host.startsWith('[') || URL.canParse(`http://${host}`));
}

/** The rule that `host`, which is not a legal value of Host, breaks. */
export function faultInHost(host: string): Reason {
  if (withoutPort(host) === '') return 'hostEmpty';
  if (host.includes(',')) return 'hostTwice'; // fields.ts joins two with a comma
  return NAME_AND_COLON.test(host) && !HOST.test(host) ? 'hostPort' : 'hostIllegal';
}

/** Whether a target names this legal host, or none. Case does not matter, nor whether a default port is given (RFC 3986 6.2.3). */
export function isHostOf({ authority, isHttps }: Target, host: string): boolean {
  const portOf = (text: string) => PORT.exec(text)?.[0] ?? (isHttps === true ? ':443' : ':80');
  return authority === undefined || (withoutDot(authority) === withoutDot(host) && portOf(authority) === portOf(host));
}

/** A legal Host without its port. */
export function withoutPort(host: string): string { return host.replace(PORT, ''); }

// For comparison: without the port, in lower case, and without a dot at the end, with which a name is the same (RFC 1034 3.1).
const withoutDot = (host: string) => withoutPort(host).replace(/(?<=[^.\]])\.$/, '').toLowerCase();

/** The name in a legal Host, for comparison: as `withoutDot` has it, with IPv6 in canonical form (RFC 5952). */
export function hostName(host: string): string {
  const name = withoutDot(host);
  return name.startsWith('[') ? new URL(`http://${name}`).hostname : name;
}

/** Returns the rule that a request for this host breaks, or undefined if it is answered. `isHttps`: the target has the scheme https. */
export type RefuseHost = (host: string | undefined, isHttps: boolean) => Reason | undefined;

/**
 * Returns a function that refuses a legal Host, unless it names one of `allowed` (names and IP addresses without a port), and no Host.
 * Against DNS rebinding: an attacker's web page can reach the service only under the attacker's host name, which is not allowed.
 */
export function hostCheck(allowed: readonly string[]): (host: string | undefined) => Reason | undefined {
  const names = new Set(allowed.map((name) => hostName(name.includes(':') ? `[${name}]` : name)));
  return (host) => (host !== undefined && names.has(hostName(host)) ? undefined : 'hostNotAllowed');
}
