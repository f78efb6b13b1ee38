// Clients, by address: who takes turns with whom. Connections without one, as on a Unix socket, are one client's.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Order, type Place } from './order.ts';
import type { Queue } from './turns.ts';

/** The client with this address, by name: IPv4, or the first 64 bits of IPv6, because a network has at least those. */
export function clientOf(remoteAddress = ''): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ''); // IPv4 mapped into IPv6: RFC 4291 2.5.5.2
  // RFC 4291 2.2: `::` stands for the missing groups of 8. Split, `1::2` has 3 parts, and lacks 9 - 3 = 6.
  const zeros = ':0'.repeat(9 - address.split(':').length);
  return address.replace('::', `${zeros}:`).split(':', 4).join(':');
}

/** What a connection is for Node: a valve. */
type Served = Duplex & { readonly isIdle: boolean; readonly bytesRead: number; sweep(ms: number): void };

export type TooSlow = 'handshakeTooSlow' | 'proxyHeaderTooSlow';

/** An accepted connection. */
export type Connection = {
  readonly socket: Socket; // that of TCP, also if TLS is on it
  readonly acceptedAt: number; // by `performance.now`
  client: Client;
  readonly place: Place; // among those of its client that are idle, or busy
  awaited?: TooSlow | undefined; // what has happened if it is not served in time
  named?: { readonly address: string; readonly port: number }; // the client's end, as a load balancer says
  valve?: Served; // if it is served: before that, there may be a TLS handshake
};

/** Who may be told that it may begin a request. */
type Blocked = { retry(): void };

/** A client, its connections, and its queues. In each order, those that are in it for longest come first. */
export class Client {
  readonly short: Queue = new Set(); // what is short does not wait for what is long
  readonly long: Queue = new Set();
  readonly idle = new Order(); // no request has begun
  readonly busy = new Order();
  readonly blocked = new Set<Blocked>(); // those that wait until it is not full
  readonly #maxRequests: number;
  readonly #gone: () => void;
  #leftBehind = 0; // requests whose handlers go on, although their connections have closed

  /** It may have so many requests in progress. `gone` is called when nothing is left of it. */
  constructor(maxRequests: number, gone: () => void) {
    this.#maxRequests = maxRequests;
    this.#gone = gone;
  }

  get size(): number { // in connections
    return this.idle.size + this.busy.size;
  }

  /** Whether it must not begin a request: by sending and resetting, it could start any number of handlers. */
  get isFull(): boolean {
    return this.#leftBehind > 0 && this.#leftBehind + this.busy.size >= this.#maxRequests;
  }

  /** A request has begun on a connection. Nothing happens if that has been removed. */
  setBusy(connection: Connection): void {
    if (this.idle.remove(connection)) this.busy.add(connection);
  }

  /** No request is in progress on a connection any more. */
  setIdle(connection: Connection): void {
    if (this.busy.remove(connection)) this.idle.add(connection);
    this.#changed();
  }

  remove(connection: Connection): void {
    connection.place.order?.remove(connection);
    this.#changed();
  }

  /** A connection has closed, and the handler of its request goes on. Returns what to call at its end. */
  leaveBehind(): () => void {
    this.#leftBehind += 1;
    return () => {
      this.#leftBehind -= 1;
      this.#changed();
    };
  }

  #changed(): void {
    const [first] = this.blocked;
    if (first !== undefined && !this.isFull) {
      this.blocked.delete(first);
      first.retry();
    }
    if (this.size === 0 && this.#leftBehind === 0) this.#gone();
  }
}
