// A client of the simulation: what it does, and when. What the service does with it is in its `end`.
import { moment, type Moment } from './clock.ts';
import { ALERT, contentOf, DATA, HANDSHAKE, recordOf, recordsIn, typeOf } from './record-socket.ts';
import type { Part } from './requests.ts';
import { ServiceEnd, type Written } from './service-end.ts';
import type { ClientStep, Surroundings } from './steps.ts';

/** How late the rest of a record arrives, at most. */
export const PART_MS = 100;
const MAX_RECORD_BYTES = 16 * 1024; // RFC 8446 5.1
const MAX_RECORDS = 100; // in a step

/** A request of which at least one byte has been sent. */
export type SentPart = {
  readonly part: Part;
  readonly from: number; // where it begins in all that the client has sent
  sent: number; // how many of its bytes have been sent
};

export class Client {
  readonly number: number;
  readonly name: string; // its address
  readonly end: ServiceEnd;
  readonly openedAt = moment();
  readonly parts: SentPart[] = [];
  readonly sends: { readonly to: number; readonly at: Moment }[] = []; // how many bytes of requests had arrived at a moment
  readonly isSecure: boolean;
  hasRead = true; // it has never stopped reading
  endedAt: Moment | undefined; // the client's side
  leftAt: Moment | undefined; // the client has reset the connection
  #length = 0; // how many bytes of requests it has sent
  #delivered = Buffer.alloc(0); // all bytes that were sent; over TLS, records
  #late = () => {}; // delivers the rest of a record

  constructor(number: number, { addresses, room, isSecure }: Surroundings, note: (text: string) => void) {
    this.number = number;
    this.name = `2001:db8:0:${number % addresses}::${number}`;
    this.isSecure = isSecure;
    this.end = new ServiceEnd(this.name, room, (text) => note(`${this.name} ${text}`));
  }

  /** What the service has written, without what TLS adds. */
  get writes(): readonly Written[] {
    if (!this.isSecure) return this.end.writes;
    return this.end.writes.filter(({ bytes }) => typeOf(bytes) === DATA).map((write) => ({ ...write, bytes: contentOf(write.bytes) }));
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
      case 'send': if (maySend) this.#send(this.#next(step.parts, step.held), step.pieces); break;
      case 'more': if (maySend) this.#send(this.#more(step.bytes), step.pieces); break;
      case 'read': return this.end.setRead(true);
      case 'stop reading':
        this.hasRead = false;
        return this.end.setRead(false);
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

  // The bytes of these requests, except the last `held` ones. The rest of the previous request comes before them.
  #next(parts: readonly Part[], held: number): string {
    let bytes = this.#more(Infinity);
    parts.forEach((part, i) => {
      this.parts.push({ part, from: this.#length, sent: 0 });
      bytes += this.#more(i < parts.length - 1 ? Infinity : Math.max(1, part.bytes.length - held));
    });
    return bytes;
  }

  // At most `count` more bytes of a request that has begun.
  #more(count: number): string {
    const latest = this.parts.at(-1);
    if (latest === undefined) return '';
    const bytes = latest.part.bytes.slice(latest.sent, latest.sent + count);
    latest.sent += bytes.length;
    this.#length += bytes.length;
    return bytes;
  }

  // Over TLS the handshake comes first.
  #greet(): void {
    if (this.isSecure && this.#delivered.length === 0) this.#deliver(recordOf(HANDSHAKE, Buffer.from('hello')));
  }

  // Over TLS each piece is a record. Of half of the last records, the rest arrives later.
  #send(text: string, size: number): void {
    if (text === '') return;
    this.#late();
    const [bytes, length] = [Buffer.from(text, 'latin1'), this.#length];
    if (!this.isSecure) return this.#deliver(bytes, length);
    const recordBytes = Math.min(MAX_RECORD_BYTES, Math.max(size, Math.ceil(bytes.length / MAX_RECORDS)));
    const contents = Array.from({ length: Math.ceil(bytes.length / recordBytes) }, (_, i) =>
      bytes.subarray(i * recordBytes, (i + 1) * recordBytes));
    const records = contents.map((content) => recordOf(DATA, content));
    const [all, lastBytes] = [Buffer.concat(records), records.at(-1)?.length ?? 0];
    if (lastBytes % 2 === 0) return this.#deliver(all, length);
    const lateFrom = all.length - (lastBytes >> 1);
    this.#deliver(all.subarray(0, lateFrom), length - (contents.at(-1)?.length ?? 0));
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
