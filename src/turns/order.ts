// Connections in the order in which they came here. (Each request moves its connection. If a Set was used, V8 would
// keep its old tables for long: 130 MiB more under load.)
import type { Connection } from './client.ts';

/** The place of a connection in one order, or in none. */
export type Place = {
  order: Order | undefined;
  previous: Connection | undefined;
  next: Connection | undefined;
};

export class Order {
  size = 0;
  first: Connection | undefined;
  #last: Connection | undefined;

  /** Adds a connection, which must be in no order, at the end. */
  add(connection: Connection): void {
    const { place } = connection;
    place.order = this;
    place.previous = this.#last;
    if (this.#last === undefined) this.first = connection;
    else this.#last.place.next = connection;
    this.#last = connection;
    this.size += 1;
  }

  /** Removes a connection, which must be here. */
  remove({ place }: Connection): void {
    const { previous, next } = place;
    if (previous === undefined) this.first = next;
    else previous.place.next = next;
    if (next === undefined) this.#last = previous;
    else next.place.previous = previous;
    place.order = undefined;
    place.next = undefined;
    this.size -= 1;
  }
}
