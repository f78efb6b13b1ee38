// A client of the simulation: what it has sent, and what it has seen of the service.
import { inPieces, MAX_RECORD_BYTES, Sending } from '../../support/sequences/part.ts';
import type { ClientStep, Surroundings } from '../../support/sequences/steps.ts';
import { moment, type Moment } from './clock.ts';
import { ALERT, DATA, HANDSHAKE, recordOf, recordsIn } from './record-socket.ts';
import { ServiceEnd } from './service-end.ts';

/** How late the rest of a record arrives, at most. */
export const PART_MS = 100;

/** Bytes that the client has sent at once. */
export type Sent = { readonly from: number; readonly to: number; readonly at: Moment };

/** A reply that the service has passed to its socket, and its place in all that it has passed. */
export type Written = { readonly from: number; readonly to: number; readonly at: Moment; takenAt: Moment | undefined };

export class Client {
  readonly number: number;
  readonly name: string; // its address
  readonly network: string; // the part of it that it shares with others
  readonly end: ServiceEnd;
  readonly openedAt = moment();
  readonly sending = new Sending();
  readonly sends: Sent[] = [];
  readonly writes: Written[] = [];
  readonly replies: Buffer[] = []; // without what TLS adds
  readonly isSecure: boolean;
  taken = 0;
  hasRead = true; // it has never stopped reading
  endedAt: Moment | undefined; // the client's side
  leftAt: Moment | undefined; // the client has reset the connection
  notifiedAt: Moment | undefined; // by close_notify, that the service ends its side
  serviceEndedAt: Moment | undefined;
  serviceClosedAt: Moment | undefined;
  #readAtEnd: number | undefined; // what comes later is thrown away
  #delivered = Buffer.alloc(0); // over TLS: all records that were sent
  #hasGreeted = false; // its handshake has begun

  constructor(number: number, { addresses, room, isSecure }: Surroundings, note: (text: string) => void) {
    this.number = number;
    this.network = `2001:db8:0:${number % addresses}`;
    this.name = `${this.network}::${number}`;
    this.isSecure = isSecure;
    let length = 0;
    this.end = new ServiceEnd(this.name, room, {
      written: (bytes) => {
        const [record] = isSecure ? recordsIn(bytes) : [{ type: DATA, content: bytes }];
        const from = length;
        length += bytes.length;
        if (record?.type === ALERT) {
          this.notifiedAt = moment();
          this.#readAtEnd = this.end.bytesRead;
        }
        if (record?.type !== DATA) return;
        this.writes.push({ from, to: length, at: moment(), takenAt: undefined });
        this.replies.push(record.content);
        note(`${this.name} wrote ${masked(record.content)}`);
      },
      taken: (count) => {
        this.taken += count;
        for (const write of this.writes) if (write.to <= this.taken) write.takenAt ??= moment();
        note(`${this.name} sent ${count}`);
      },
      ended: () => {
        this.serviceEndedAt = moment();
        this.#readAtEnd ??= this.end.bytesRead;
        note(`${this.name} ended`);
      },
      closed: () => { this.serviceClosedAt = moment(); note(`${this.name} closed`); },
    });
  }

  /** How many bytes that the client has sent the service has read before it has ended its side; over TLS, of all records that had begun. */
  get bytesRead(): number {
    const read = this.#readAtEnd ?? this.end.bytesRead;
    if (!this.isSecure) return read;
    let bytes = 0;
    for (const { type, content, from } of recordsIn(this.#delivered)) if (from < read && type === DATA) bytes += content.length;
    return bytes;
  }

  perform(step: ClientStep): void {
    const maySend = this.endedAt === undefined && this.leftAt === undefined;
    if (step.kind !== 'end') this.#greet();
    switch (step.kind) {
      case 'send': if (maySend) this.#deliver(this.sending.next(step.parts, step.held), step.pieces); break;
      case 'more': if (maySend) this.#deliver(this.sending.more(step.bytes), step.pieces); break;
      case 'read': return this.end.setRead(true);
      case 'stop reading':
        this.hasRead = false;
        return this.end.setRead(false);
      case 'wait': return; // see world.ts
      case 'end':
        if (!maySend) return;
        this.endedAt = moment();
        return this.end.deliverEnd();
      case 'reset':
        if (this.leftAt !== undefined || this.end.destroyed) return;
        this.leftAt = moment();
        this.end.deliverReset();
    }
  }

  #deliver(bytes: string, pieceBytes: number): void {
    if (bytes === '') return;
    const { length: to } = this.sending;
    const from = to - bytes.length;
    if (!this.isSecure) return this.end.deliver(Buffer.from(bytes, 'latin1'), this.#noteAt(from, to)); // no pieces
    const pieces = inPieces(bytes, Math.min(pieceBytes, MAX_RECORD_BYTES));
    const between = to - (pieces.at(-1)?.length ?? 0);
    const records = pieces.map((piece) => recordOf(DATA, Buffer.from(piece, 'latin1')));
    const last = records.pop() ?? Buffer.of();
    if (records.length > 0) this.#deliverRecords(Buffer.concat(records), this.#noteAt(from, between));
    this.#deliverRecords(last, this.#noteAt(between, to), last.length % 2 === 1);
  }

  #noteAt(from: number, to: number): () => void {
    return () => { this.sends.push({ from, to, at: moment() }); };
  }

  #greet(): void {
    if (this.isSecure && !this.#hasGreeted && this.endedAt === undefined) {
      this.#deliverRecords(recordOf(HANDSHAKE, Buffer.from('hello')), () => {});
    }
    this.#hasGreeted = true;
  }

  // Half of the last records are split: the rest arrives later.
  #deliverRecords(bytes: Buffer, arrived: () => void, isSplit = false): void {
    this.#delivered = Buffer.concat([this.#delivered, bytes]);
    this.end.deliver(bytes, arrived, isSplit ? bytes.length >> 1 : bytes.length, bytes.length % 4 === 1 ? inIterations : inTime);
  }
}

const inTime = (run: () => void) => void setTimeout(run, PART_MS);
const inIterations = (run: () => void) => void setImmediate(() => setImmediate(() => setImmediate(run)));

function masked(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\r\nDate: [^\r]*/g, '\r\nDate: now').replace(/"traceId":"[^"]*"/g, '"traceId":"id"');
}
