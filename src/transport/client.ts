// Clients by their addresses. A client is an IPv4 address, or the first 64 bits of an IPv6 address, because each network gets at least
// a /64. Those without an address, as on a Unix socket, count as one client.

/** An IP address, IPv4 also where it is mapped into IPv6 (RFC 4291 2.5.5.2). */
export function plainAddress(remoteAddress: string): string { return remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ''); }

/** The client with this address. */
export function clientOf(remoteAddress = ''): string {
  const [before = '', after] = plainAddress(remoteAddress).split('::');
  if (after === undefined) return before.split(':', 4).join(':');
  const groups = [before.split(':'), after.split(':')] as const;
  const zeros = Array.from({ length: 8 - groups[0].length - groups[1].length }, () => '0'); // RFC 5952 4.2: what `::` stands for
  return [...groups[0], ...zeros, ...groups[1]].slice(0, 4).join(':');
}
