// Rules of the RFCs in another form than in `src`, so that a mistake there does not excuse itself here.
import { isIPv6 } from 'node:net';

const PERCENT_ENCODED = /%[\dA-Fa-f]{2}/g;

/** RFC 3986 3.2.2 and RFC 9110 7.2: a name or an address, and perhaps a port. */
export function isHost(text: string): boolean {
  const { address, name } = hostIn(text);
  if (address !== undefined) return (isIPv6(address) && !address.includes('%')) || /^v[\dA-F]+\.[\w\-.~!$&'()*+,;=:]+$/i.test(address);
  return name !== undefined && /^[\w\-.~!$&'()*+,;=]*$/.test(name.replace(PERCENT_ENCODED, ''));
}

/** What the RFCs allow and the reader does not: no name, a comma in it, addresses of the future, and ports that are no number of a port. */
export function isOddHost(text: string): boolean {
  const { address, name, port } = hostIn(text);
  const isOddPort = port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536);
  return isHost(text) && (isOddPort || (name !== undefined && /^$|,/.test(name)) || (address !== undefined && !isIPv6(address)));
}

function hostIn(text: string): { readonly [part in 'address' | 'name' | 'port']?: string | undefined } {
  const [, address, name, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/.exec(text) ?? [];
  return { address, name, port };
}

/** The authority of a target in absolute-form (RFC 9112 3.2.2). */
export const authorityIn = (target: string) => /^https?:\/\/([^/?]*)/i.exec(target)?.[1];

/** Whether a target in absolute-form has this host, and the same port, or the default port of its scheme (RFC 3986 6.2.3). */
export function isHostIn(target: string, host: string | undefined): boolean {
  const defaultPort = /^https/i.test(target) ? '443' : '80';
  function whole(text = ''): string {
    const { address, name, port = defaultPort } = hostIn(text.toLowerCase());
    return [address, name, port].join();
  }
  return whole(authorityIn(target)) === whole(host);
}

/** RFC 9112 3.2. In a query the reader allows what browsers send. */
export function isTarget(method: string, target: string): boolean {
  if (method === 'CONNECT') return isHost(target) && !isOddHost(target) && /:\d+$/.test(target);
  if (target === '*') return method === 'OPTIONS';
  const authority = authorityIn(target);
  if (authority !== undefined && (authority === '' || !isHost(authority))) return false;
  const origin = authority === undefined ? target : target.slice(target.indexOf('//') + 2 + authority.length).replace(/^(?!\/)/, '/');
  const [path = ''] = origin.split('?');
  return /^\/[\w\-.~!$&'()*+,;=:@/]*$/.test(path.replace(PERCENT_ENCODED, '')) && !/[^!-~]|#/.test(origin.slice(path.length));
}

const TOKEN = /[^\x00- "(),/:-@[-\]{}\x7f-\xff]+/.source;
const QUOTED = /"(?:[^"\\\x00-\x08\n-\x1f\x7f]|\\[^\x00-\x08\n-\x1f\x7f])*"/.source;

/** RFC 9112 7.1: a chunk size with its extensions. */
export const SIZE_LINE = new RegExp(`^[\\dA-Fa-f]+(?:[ \t]*;[ \t]*${TOKEN}(?:[ \t]*=[ \t]*(?:${TOKEN}|${QUOTED}))?)*$`);
