// A client of the simulation: what it does, and when. What the service does with it is in its `end`.
import { inPieces, MAX_RECORD_BYTES, Sending } from '../../support/sequences/part.ts';
import type { ClientStep, Surroundings } from '../../support/sequences/steps.ts';
import { moment, type Moment } from './clock.ts';
import { ALERT, contentOf, DATA, HANDSHAKE, recordOf, recordsIn, typeOf } from './record-socket.ts';
import { ServiceEnd, type Written } from './service-end.ts';

/** How late the rest of a record arrives, at most. */
export const PART_MS = 100;

/** How many bytes of requests had arrived at a moment. */
export type Sent = { readonly to: number; readonly at: Moment };

export class Client {
  readonly number: number;
  readonly name: string; // its address
  readonly network: string; // the part of it that it shares with others
  readonly end: ServiceEnd;
  readonly openedAt = moment();
  readonly sending = new Sending();
  readonly sends: Sent[] = [];
  readonly isSecure: boolean;
  hasRead = true; // it has never stopped reading
  endedAt: Moment | undefined; // the client's side
  leftAt: Moment | undefined; // the client has reset the connection
  #delivered = Buffer.alloc(0); // all bytes that were sent; over TLS, records
  #late = () => {}; // delivers the rest of a record

  constructor(number: number, { addresses, room, isSecure }: Surroundings, note: (text: string) => void) {
    this.number = number;
    this.network = `2001:db8:0:${number % addresses}`;
    this.name = `${this.network}::${number}`;
    this.isSecure = isSecure;
    this.end = new ServiceEnd(this.name, room, (text) => note(`${this.name} ${text}`));
  }

  /** What the service has written, without what TLS adds. */
  get writes(): readonly Written[] {
    return this.isSecure ? this.end.writes.filter(({ bytes }) => typeOf(bytes) === DATA) : this.end.writes;
  }

  get replies(): Buffer {
    return Buffer.concat(this.writes.map(({ bytes }) => (this.isSecure ? contentOf(bytes) : bytes)));
  }

  /** The close_notify with which the service ends its side over TLS. */
  get notice(): Written | undefined {
    return this.isSecure ? this.end.writes.find(({ bytes }) => typeOf(bytes) === ALERT) : undefined;
  }

  /** How many bytes that the client has sent the service has read before it has ended its side; over TLS, of all records that had begun. */
  get bytesRead(): number {
    if (!this.isSecure) return this.end.bytesRead;
    const read = this.notice?.bytesRead ?? this.end.bytesRead;
    const begun = Array.from(recordsIn(this.#delivered)).filter(({ type, from }) => type === DATA && from < read);
    return begun.reduce((sum, { content }) => sum + content.length, 0);
  }

  perform(step: ClientStep): void {
    const maySend = this.endedAt === undefined && this.leftAt === undefined;
    if (step.kind !== 'end' && maySend) this.#greet();
    switch (step.kind) {
      case 'send': if (maySend) this.#send(this.sending.next(step.parts, step.held), step.pieces); break;
      case 'more': if (maySend) this.#send(this.sending.more(step.bytes), step.pieces); break;
      case 'read': return this.end.setRead(true);
      case 'stop reading':
        this.hasRead = false;
        return this.end.setRead(false);
      case 'wait': return; // see world.ts
      case 'end':
        if (!maySend) return;
        this.#late();
        this.endedAt = moment();
        return this.end.deliverEnd();
      case 'reset':
        if (this.leftAt !== undefined || this.end.destroyed) return;
        this.leftAt = moment();
        this.end.deliverReset();
    }
  }

  // Over TLS the handshake comes first.
  #greet(): void {
    if (this.isSecure && this.#delivered.length === 0) this.#deliver(recordOf(HANDSHAKE, Buffer.from('hello')));
  }

  // Over TLS each piece is a record. Of half of the last records, the rest arrives later.
  #send(bytes: string, size: number): void {
    if (bytes === '') return;
    this.#late();
    const { length } = this.sending;
    if (!this.isSecure) return this.#deliver(Buffer.from(bytes, 'latin1'), length);
    const pieces = inPieces(bytes, Math.min(size, MAX_RECORD_BYTES));
    const records = pieces.map((piece) => recordOf(DATA, Buffer.from(piece, 'latin1')));
    const [all, lastBytes] = [Buffer.concat(records), records.at(-1)?.length ?? 0];
    if (lastBytes % 2 === 0) return this.#deliver(all, length);
    const lateFrom = all.length - (lastBytes >> 1);
    this.#deliver(all.subarray(0, lateFrom), length - (pieces.at(-1)?.length ?? 0));
    const arrive = this.#late = () => {
      if (this.#late === arrive) this.#deliver(all.subarray(lateFrom), length);
    };
    if (lastBytes % 4 === 1) setImmediate(() => setImmediate(() => setImmediate(arrive)));
    else setTimeout(arrive, PART_MS);
  }

  // With these bytes, as many bytes of requests have arrived as `to`.
  #deliver(bytes: Buffer, to = 0): void {
    this.#late = () => {};
    this.#delivered = Buffer.concat([this.#delivered, bytes]);
    if (to > 0) this.sends.push({ to, at: moment() });
    this.end.deliver(bytes);
  }
}
