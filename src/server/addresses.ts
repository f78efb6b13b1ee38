// All connections by the address of their client, so that no address keeps the others out. For each address there are those that are
// idle, or whose last reply has left (`idle`), and the others (`busy`), in the order in which they have entered their state.
import type { Connection } from './connection.ts';

let moves = 0;

/** A place in a queue: a ring, which begins behind a place without a connection. (Faster: a Set takes 0.05 of a bare server more.) */
class Place {
  readonly connection: Connection | undefined;
  movedAs = Infinity; // the number of its latest move. The beginning of a queue never moves.
  next: Place = this;
  #previous: Place = this;

  constructor(connection?: Connection) { this.connection = connection; }

  leave(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
  }

  /** Goes from where it is to the end of `queue`. */
  moveTo(queue: Place): void {
    this.leave();
    this.movedAs = moves += 1;
    this.#previous = queue.#previous;
    this.next = queue;
    this.#previous.next = queue.#previous = this;
  }
}

type Group = { readonly idle: Place; readonly busy: Place; size: number };

/** A connection that is to be closed for a new one, and why: it is idle, or its address has the most connections. */
export type GivenUp = { readonly connection: Connection; readonly reason: 'idle' | 'most' };

export class Addresses {
  readonly #groups = new Map<string, Group>();

  /** Counts a new connection, which is idle. Returns a function after which it no longer counts. */
  add(connection: Connection): () => void {
    const client = clientOf(connection.clientAddress);
    const group = this.#groups.get(client) ?? { idle: new Place(), busy: new Place(), size: 0 };
    this.#groups.set(client, group);
    group.size += 1;
    const place = new Place(connection);
    place.moveTo(group.idle);
    connection.onEnter = (state) => place.moveTo(state === 'idle' || state === 'lingering' ? group.idle : group.busy);
    return () => {
      connection.onEnter = undefined;
      place.leave();
      group.size -= 1;
      if (group.size === 0) this.#groups.delete(client);
    };
  }

  /**
   * What is closed for a new connection from `clientAddress`; undefined: nothing, so the new one is. It is one of the address that has
   * the most connections, the new one counted: the one that is idle longest, or, if another address asks, that is longest in its state.
   */
  giveUp(clientAddress: string | undefined): GivenUp | undefined {
    const own = this.#groups.get(clientOf(clientAddress));
    const sizeOf = (group: Group | undefined) => (group?.size ?? 0) + Number(group === own);
    let most = sizeOf(own);
    for (const group of this.#groups.values()) most = Math.max(most, sizeOf(group));
    const largest = Array.from(this.#groups.values()).filter((group) => sizeOf(group) === most);
    const idle = longest(largest.map((group) => group.idle));
    if (idle !== undefined) return { connection: idle, reason: 'idle' };
    const busy = sizeOf(own) === most ? undefined : longest(largest.map((group) => group.busy));
    return busy && { connection: busy, reason: 'most' };
  }
}

// The first in each queue is the one that is longest in its state.
function longest(queues: readonly Place[]): Connection | undefined {
  return queues.map(({ next }) => next).reduce((found, place) => (place.movedAs < found.movedAs ? place : found), new Place()).connection;
}

/**
 * What counts as one client of those with this address: an IPv4 address, also where it is mapped into IPv6 (RFC 4291 2.5.5.2); the first
 * 64 bits of an IPv6 address, because that is what one customer gets; all clients without one, such as those of a Unix socket.
 */
export function clientOf(address = ''): string {
  const [before = '', behind] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('::');
  if (behind === undefined) return before.split(':', 4).join(':');
  const groups = [before.split(':'), behind.split(':')] as const;
  const zeros = Array.from({ length: 8 - groups[0].length - groups[1].length }, () => '0'); // RFC 5952 4.2: what `::` stands for
  return [...groups[0], ...zeros, ...groups[1]].slice(0, 4).join(':');
}
