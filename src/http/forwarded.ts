// Whose request a proxy on HTTP has passed on: X-Forwarded-For and X-Forwarded-Proto, to which each proxy adds an
// element at the end. What stands in front of those that trusted proxies have added may be forged by anybody.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAX_PROXIES = 16; // one behind the other: each takes up to 4 µs to look up, and a head has room for 2,000
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i; // IPv6 in brackets, IPv4; IIS and Azure add ports

type IsTrusted = (address: string | undefined) => boolean;

/**
 * Whom a request is from: `peer` (undefined: on a Unix socket), or whom trusted proxies name; and whether they say that
 * it came over HTTPS.
 */
export function originOf(peer: string | undefined, headers: IncomingHttpHeaders, isTrusted: IsTrusted = () => false) {
  let address = plainAddress(peer);
  if (!isTrusted(address)) return { address, isHttps: false };
  const elements = elementsOf(headers['x-forwarded-for']);
  let at = elements.length; // where `address` stands among them: the peer, after the last
  // The client is the last one that is not trusted itself, or the first one.
  while (at > elements.length - MAX_PROXIES && isTrusted(address)) {
    const named = addressIn(elements[at - 1]?.trim());
    if (named === undefined) break; // there is none, or nothing before it is believed
    address = named;
    at -= 1;
  }
  const protocols = elementsOf(headers['x-forwarded-proto']);
  // Counted from the end, too: each proxy adds a value. If there are fewer, one of them has replaced those before it.
  const protocol = protocols[Math.max(0, protocols.length - Math.max(1, elements.length - at))];
  return { address, isHttps: protocol?.trim().toLowerCase() === 'https' };
}

/** An IP address, if there is one; IPv4 also where it is mapped into IPv6 (RFC 4291 2.5.5.2). */
export function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}

// Several field lines are one list. They are there as strings, because Node joins them.
const elementsOf = (field: unknown) => (typeof field === 'string' ? field.split(',') : []);

// The address in an element of the list, IPv6 as Node writes it for a socket. Undefined: it is none.
function addressIn(element = ''): string | undefined {
  const [, inBrackets, ofIPv4 = element] = WITH_PORT.exec(element) ?? [];
  const address = inBrackets ?? ofIPv4;
  const isLegal = inBrackets === undefined ? isIP(address) !== 0 : isIPv6(address);
  if (!isLegal || address.includes('%')) return undefined; // a zone is known only on one machine
  return isIPv4(address) ? address : plainAddress(new SocketAddress({ family: 'ipv6', address }).address);
}
