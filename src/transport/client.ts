// Clients by their addresses. A client is an IPv4 address, or the first 64 bits of an IPv6 address, because each network gets at least
// a /64. Those without an address, as on a Unix socket, count as one client.

/** An IP address, IPv4 also where it is mapped into IPv6 (RFC 4291 2.5.5.2). */
export function plainAddress(remoteAddress: string): string { return remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ''); }

/** The client with this address. */
export function clientOf(remoteAddress = ''): string {
  const address = plainAddress(remoteAddress);
  const zeros = ':0'.repeat(9 - address.split(':').length); // `::` stands for the groups that are missing of 8 (RFC 4291 2.2)
  return address.replace('::', `${zeros}:`).split(':', 4).join(':');
}
