// Clients, by address: who takes turns with whom. Connections without one, as on a Unix socket, are one client's.
import type { Queue } from './turns.ts';

/** The client with this address, by name: IPv4, or the first 64 bits of IPv6, because a network has at least those. */
export function clientOf(remoteAddress = ''): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ''); // IPv4 mapped into IPv6: RFC 4291 2.5.5.2
  // RFC 4291 2.2: `::` stands for the missing groups of 8. Split, `1::2` has 3 parts, and lacks 9 - 3 = 6.
  const zeros = ':0'.repeat(9 - address.split(':').length);
  return address.replace('::', `${zeros}:`).split(':', 4).join(':');
}

/** The network of a client, by name: IPv4, or the first 48 bits of IPv6, because one line may have as many. */
export const networkOf = (client: string): string => client.split(':', 3).join(':');

/** The name of a client for the log: of IPv6 it is a network. Undefined: on a Unix socket. */
export function titleOf(client: string): string | undefined {
  return client.includes(':') ? `${client.replace(/^:/, '0:')}::/64` : client || undefined;
}

/** The clients of one network: how many connections they have, and handlers that go on after the response. */
export type Network = { readonly name: string; size: number; leftBehind: number };

export type Client = {
  readonly name: string;
  readonly network: Network;
  readonly short: Queue; // what is short does not wait for what is long
  readonly long: Queue;
  size: number; // in connections
};
