// The target of a request (RFC 9112 3.2), and the host that it names (RFC 3986 3.2.2).
import type { Reason } from './refusals.ts';

export type Target = {
  readonly path: string; // of `OPTIONS *`, the whole target (RFC 9112 3.2.4), which matches no route
  readonly query: string; // without its `?`; empty when there is none
  readonly authority: string | undefined; // of a target in absolute-form: its host and port, which head.ts checks, as it does the scheme
  readonly isHttps: boolean; // its scheme is https
};

// RFC 9112 3.2.1: a path of pchar (RFC 3986 3.3), and perhaps a query, which may have any visible ASCII except `#`: browsers send more in
// one than RFC 3986 allows. Programs disagree on a path with anything else, such as `\`, so it could get past the rules of a proxy.
const PATH_AND_QUERY = /^(\/(?:[\w\-.~!$&'()*+,;=:@/]|%[\dA-Fa-f]{2})*)?(?:\?([!"$-~]*))?$/;
const SCHEME_AND_AUTHORITY = /^http(s)?:\/\/([^/?]*)/i;

/** The target, or the rule that it breaks. */
export function parseTarget(method: string, target: string): Target | Reason {
  if (method === 'OPTIONS' && target === '*') return { path: target, query: '', authority: undefined, isHttps: false };
  const absolute = SCHEME_AND_AUTHORITY.exec(target);
  if (absolute === null && !target.startsWith('/')) return 'targetForm';
  const local = PATH_AND_QUERY.exec(target.slice(absolute?.[0].length));
  if (local === null) return 'targetCharacter';
  return { path: local[1] ?? '/', query: local[2] ?? '', authority: absolute?.[2], isHttps: absolute?.[1] !== undefined };
}

// uri-host [ ":" port ] (RFC 9110 7.2). RFC 3986 also allows a colon without a port, and a comma in a name. Both are
// refused here, the comma because a proxy may join two Host lines into one, with a comma between them. A port is at most 65535.
const NAME = /(?:\[[\dA-Fa-f:.]+\]|(?:[\w\-.~!$&'()*+;=]|%[\dA-Fa-f]{2})+)/.source;
const LEGAL_PORT = /:(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])/.source;
const HOST = new RegExp(`^${NAME}(?:${LEGAL_PORT})?$`);
const NAME_AND_COLON = new RegExp(`^${NAME}:`);
const PORT = /:\d+$/;

/** The rule that a value of Host breaks, if any. */
export function faultInHost(host: string): Reason | undefined {
  if (HOST.test(host)) return host.startsWith('[') && !URL.canParse(`http://${host}`) ? 'hostIllegal' : undefined;
  if (withoutPort(host) === '') return 'hostEmpty';
  if (host.includes(',')) return 'hostTwice'; // fields.ts joins two with a comma
  return NAME_AND_COLON.test(host) ? 'hostPort' : 'hostIllegal';
}

/** Whether a target names this legal host, or none. Whether a default port is given does not matter (RFC 3986 6.2.3). */
export function isHostOf({ authority, isHttps }: Target, host: string): boolean {
  if (authority === undefined || authority === host) return true;
  const portOf = (text: string) => PORT.exec(text)?.[0] ?? (isHttps ? ':443' : ':80');
  return faultInHost(authority) === undefined && hostName(authority) === hostName(host) && portOf(authority) === portOf(host);
}

/** A legal Host without its port. */
export function withoutPort(host: string): string { return host.replace(PORT, ''); }

/** The name in a legal Host, for comparison: in lower case, without a dot at its end (RFC 1034 3.1), IPv6 in canonical form (RFC 5952). */
function hostName(host: string): string {
  const name = withoutPort(host).replace(/(?<=[^.])\.$/, '').toLowerCase();
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
