// Clients, by address: who takes turns with whom. Connections without one, as on a Unix socket, are one client's.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Overhead } from './handshake.ts';
import { Order, type Place } from './order.ts';
import type { Queue } from './turns.ts';

/** The client with this address, by name: IPv4, or the first 64 bits of IPv6, because a network has at least those. */
export function clientOf(remoteAddress = ''): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, ''); // IPv4 mapped into IPv6: RFC 4291 2.5.5.2
  // RFC 4291 2.2: `::` stands for the missing groups of 8. Split, `1::2` has 3 parts, and lacks 9 - 3 = 6.
  const zeros = ':0'.repeat(9 - address.split(':').length);
  return address.replace('::', `${zeros}:`).split(':', 4).join(':');
}

/** The client of a connection, for the log: as `clientOf`, with IPv6 as a network. Undefined: on a Unix socket. */
export function nameOf({ named, socket }: Connection): string | undefined {
  const name = clientOf(named?.address ?? socket.remoteAddress);
  return name.includes(':') ? `${name.replace(/^:/, '0:')}::/64` : name || undefined;
}

/** What a connection is for Node: a valve. */
type Served = Duplex & { readonly isIdle: boolean; readonly bytesRead: number; sweep(ms: number): void };

export type TooSlow = 'handshakeTooSlow' | 'proxyHeaderTooSlow';

/** An accepted connection. */
export type Connection = {
  readonly socket: Socket; // that of TCP, also if TLS is on it
  readonly acceptedAt: number; // by `performance.now`
  client: Client;
  readonly place: Place; // in one of the orders of its client
  awaited?: TooSlow | undefined; // what has happened if it is not served in time
  headerBytes: number; // of the PROXY protocol
  overhead?: Overhead; // over TLS
  named?: { readonly address: string; readonly port: number }; // the client's end, as a load balancer says
  valve?: Served; // if it is served: before that, there may be a TLS handshake
};

/** Who waits until it may begin a request. `retry` tells it that it may, and returns whether it will. */
type Blocked = { retry(): boolean };

/** A client, its connections, and its queues. In each order, those that are in it for longest come first. */
export class Client {
  readonly short: Queue = new Map(); // what is short does not wait for what is long
  readonly long: Queue = new Map();
  readonly idle = new Order(); // no request has begun
  readonly waiting = new Order(); // when there was no room, what they had sent waited for a turn
  readonly busy = new Order(); // a request is in progress
  readonly blocked = new Set<Blocked>(); // those that wait until it is not full
  readonly #maxRequests: number;
  readonly #gone: () => void;
  #leftBehind = 0; // requests whose handlers go on, although their connections have closed
  #kept = 0; // those, and valves that have not closed

  /** It may have so many requests in progress. `gone` is called when nothing is left of it. */
  constructor(maxRequests: number, gone: () => void) {
    this.#maxRequests = maxRequests;
    this.#gone = gone;
  }

  get size(): number { // in connections
    return this.idle.size + this.waiting.size + this.busy.size;
  }

  /** Whether it must not begin a request: by sending and resetting, it could start any number of handlers. */
  get isFull(): boolean {
    return this.#leftBehind > 0 && this.#leftBehind + this.busy.size >= this.#maxRequests;
  }

  setWaiting(connection: Connection): void {
    move(connection, this.waiting);
  }

  /** A request has begun on a connection. */
  setBusy(connection: Connection): void {
    move(connection, this.busy);
  }

  /** No request is in progress on a connection any more. */
  setIdle(connection: Connection): void {
    move(connection, this.idle);
    this.wake();
  }

  remove(connection: Connection): void {
    connection.place.order?.remove(connection);
    this.#changed();
  }

  /** The client is not forgotten until what is returned is called. */
  keep(): () => void {
    this.#kept += 1;
    return () => {
      this.#kept -= 1;
      this.#changed();
    };
  }

  /** A connection has closed, and the handler of its request goes on. Returns what to call at its end. */
  leaveBehind(): () => void {
    const end = this.keep();
    this.#leftBehind += 1;
    return () => {
      this.#leftBehind -= 1;
      end();
    };
  }

  /** If a request may begin, one of those that wait for that may. */
  wake(): void {
    for (const one of this.blocked) {
      if (this.isFull) return;
      this.blocked.delete(one);
      if (one.retry()) return;
    }
  }

  #changed(): void {
    this.wake();
    if (this.size === 0 && this.#kept === 0) this.#gone();
  }
}

// Nothing happens if it has been removed.
function move(connection: Connection, to: Order): void {
  const { order } = connection.place;
  if (order === undefined) return;
  order.remove(connection);
  to.add(connection);
}
