// The target of a request (RFC 9112 3.2), and the host that it names (RFC 3986 3.2.2).

export type Target = {
  readonly path: string;
  /** Without its `?`; empty when there is none. */
  readonly query: string;
};

// RFC 3986 3.3: segments of pchar. Raw control or non-ASCII bytes, `#` and `\` are read differently
// by different programs: a path that a proxy's rules see differently is a bypass.
const PATH = /^\/[\w\-.~!$&'()*+,;=:@/%]*$/;
const BAD_PERCENT = /%(?![\dA-Fa-f]{2})/;
// RFC 3986 3.4, and what browsers and curl send raw: visible ASCII but for `#` and `\`.
const QUERY = /^[!"$-[\]-~]*$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)(.*)$/i;

/**
 * The target of a request with that method and Host, or undefined when it is not a legal one. In the
 * forms that have no path (RFC 9112 3.2.3, 3.2.4), `path` is the whole target, and no route has such a path.
 */
export function parseTarget(method: string, target: string, host: string | undefined): Target | undefined {
  if (method === 'CONNECT') return isHost(target) && PORT.test(target) ? { path: target, query: '' } : undefined;
  if (target.startsWith('/')) return parseOriginForm(target);
  if (target === '*') return method === 'OPTIONS' ? { path: '*', query: '' } : undefined;
  const [, authority = '', rest = ''] = ABSOLUTE_FORM.exec(target) ?? [];
  // RFC 9112 3.2: both must name the same host. With two names, a proxy may have looked at the other one.
  const agrees = host === undefined ? isHost(authority) : authority.toLowerCase() === host.toLowerCase();
  if (authority === '' || !agrees) return undefined;
  return parseOriginForm(rest.startsWith('/') ? rest : `/${rest}`);
}

/**
 * The part of an illegal target that may be logged: its path. The query may hold a name, and the authority may hold
 * user information (RFC 9110 4.2.4). A target without a path may be either of these, so the result is empty then.
 */
export function pathOfIllegalTarget(target: string): string {
  const path = target.replace(/[?#].*/s, '').replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
  return path.startsWith('/') ? path : '';
}

function parseOriginForm(target: string): Target | undefined {
  const queryAt = target.indexOf('?');
  if (queryAt === -1) return isPath(target) ? { path: target, query: '' } : undefined;
  const path = target.slice(0, queryAt);
  const query = target.slice(queryAt + 1);
  return isPath(path) && QUERY.test(query) ? { path, query } : undefined;
}

function isPath(path: string): boolean {
  return PATH.test(path) && !hasBadPercent(path);
}

function hasBadPercent(text: string): boolean {
  return text.includes('%') && BAD_PERCENT.test(text);
}

// uri-host [ ":" port ] (RFC 9110 7.2), the port at most 65535. RFC 3986 also allows a colon without a port, and a comma in
// a name. Both are refused here, the comma because a proxy may join two Host lines to one, with a comma between them.
const HOST = /^(?:\[[\dA-Fa-f:.]+\]|[\w\-.~!$&'()*+;=%]+)(?::(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]))?$/;

const PORT = /:\d+$/;

/** Whether `host` is a legal value of the Host field, and not an empty one. */
export function isHost(host: string): boolean {
  return HOST.test(host) && !hasBadPercent(host) && (!host.startsWith('[') || URL.canParse(`http://${host}`));
}

/** A legal Host without its port. */
export function withoutPort(host: string): string {
  return host.replace(PORT, '');
}

/** The name in a legal Host, comparable: without the port, in lower case, IPv6 in its one short form. */
export function hostName(host: string): string {
  const name = withoutPort(host).toLowerCase();
  return name.startsWith('[') ? new URL(`http://${name}`).hostname : name;
}
