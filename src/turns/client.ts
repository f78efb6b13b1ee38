// Clients, by address: who takes turns with whom. Connections without one, as on a Unix socket, are one client's.

/** An IP address, if there is one; IPv4 also where it is mapped into IPv6 (RFC 4291 2.5.5.2). */
export function plainAddress(remoteAddress: string | undefined): string | undefined {
  return remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The client with this address: IPv4, or the first 64 bits of IPv6, because a network has at least those. */
export function clientOf(remoteAddress: string | undefined): string {
  const address = plainAddress(remoteAddress) ?? '';
  // RFC 4291 2.2: `::` stands for the missing groups of 8. Split, `1::2` has 3 parts, and lacks 9 - 3 = 6.
  const zeros = ':0'.repeat(9 - address.split(':').length);
  return address.replace('::', `${zeros}:`).split(':', 4).join(':');
}
