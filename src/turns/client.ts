// Clients, by address: who takes turns with whom. Connections without one, as on a Unix socket, are one client's.
import type { Queue } from './turns.ts';

/** The name of the client at this address: IPv4, or the first 48 bits of IPv6: one line may have all of them. */
export function clientOf(remoteAddress = ''): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ''); // IPv4 mapped into IPv6: RFC 4291 2.5.5.2
  if (!address.includes(':')) return address;
  // RFC 4291 2.2: `::` stands for the missing groups of 8. Split, `1::2` has 3 parts, and lacks 9 - 3 = 6.
  const zeros = ':0'.repeat(9 - address.split(':').length);
  const groups = address.replace(/^:/, '0:').replace('::', `${zeros}:`).split(':', 3);
  return `${groups.join(':')}::/48`;
}

export type Client = {
  readonly name: string;
  readonly short: Queue; // what is short does not wait for what is long
  readonly long: Queue;
  size: number; // its connections, and handlers that go on after the response
  keyUpdates: number; // of TLS, since the last sweep
};
