// The target of a request (RFC 9112 3.2), and the host that it or Host names (RFC 3986 3.2.2).

export type Target = {
  readonly path: string; // of `OPTIONS *`, the whole target (RFC 9112 3.2.4), which matches no route
  readonly query: string; // without its `?`; empty if there is none
  readonly authority?: string; // of a target in absolute-form (RFC 9112 3.2.2): its host and port
  readonly isHttps?: boolean; // its scheme is https
};

const ABSOLUTE_FORM = /^http(s?):\/\/([^/?#]*)(.*)$/i;

/** The target, or undefined if it has none of the forms that are for a server. */
export function parseTarget(method: string, target: string): Target | undefined {
  if (target.startsWith('/')) return splitQuery(target);
  if (method === 'OPTIONS' && target === '*') return { path: target, query: '' };
  const [, secure, authority, rest = ''] = ABSOLUTE_FORM.exec(target) ?? [];
  if (authority === undefined) return undefined;
  return { ...splitQuery(rest.startsWith('/') ? rest : `/${rest}`), authority, isHttps: secure !== '' };
}

function splitQuery(text: string): Target {
  const at = text.indexOf('?');
  return at === -1 ? { path: text, query: '' } : { path: text.slice(0, at), query: text.slice(at + 1) };
}

// RFC 3986 allows a comma, too. But here it means two lines of Host, and a proxy may have routed by either.
const HOST = /^(\[[\dA-Fa-f:.]+\]|(?:[\w\-.~!$&'()*+;=]|%[\dA-Fa-f]{2})+)(?::(\d{1,5}))?$/;
const FINAL_DOT = /([^.])\.$/; // RFC 1034 3.1: `a.` is the same name as `a`; `.` and `a..` are none

/** The name and the port of a host. */
export type Host = { readonly name: string; readonly port: number | undefined };

let latest: { readonly text?: string; readonly host?: Host | undefined } = {};

/** A host, or undefined if it is not legal. Case, a dot at the end and the way to write IPv6 make no difference. */
export function parseHost(text: string): Host | undefined {
  // Faster: most requests are for the same host, and to parse that takes 3 % of a greeting.
  if (text !== latest.text) latest = { text, host: parse(text) };
  return latest.host;
}

function parse(text: string): Host | undefined {
  const [, name, digits] = HOST.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (name === undefined || (port !== undefined && port > 65_535)) return undefined;
  if (!name.startsWith('[')) return { name: name.toLowerCase().replace(FINAL_DOT, '$1'), port };
  // URL writes an IPv6 address in one way (RFC 5952).
  return URL.canParse(`http://${name}`) ? { name: new URL(`http://${name}`).hostname, port } : undefined;
}

/** Whether a target names this host, or none. The default port may be left out (RFC 3986 6.2.3). */
export function isHostOf({ authority, isHttps = false }: Target, host: Host): boolean {
  if (authority === undefined) return true;
  const named = parseHost(authority);
  const defaultPort = isHttps ? 443 : 80;
  return named?.name === host.name && (named.port ?? defaultPort) === (host.port ?? defaultPort);
}

/** The names of hosts. Against DNS rebinding: the web page of an attacker can name only the attacker's own host. */
export function hostNamesOf(hosts: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(hosts.map((host) => parseHost(host.includes(':') ? `[${host}]` : host)?.name));
}
