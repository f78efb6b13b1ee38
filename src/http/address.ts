// Addresses of clients.

/** An IP address, if there is one; IPv4 also where it is mapped into IPv6 (RFC 4291 2.5.5.2). */
export function plainAddress(remoteAddress: string | undefined): string | undefined {
  return remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '');
}
