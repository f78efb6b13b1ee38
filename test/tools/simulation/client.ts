// A client of the simulation: what it has sent, and what it has seen of the service.
import type { Part } from '../../support/sequences/part.ts';
import { inPieces, MAX_RECORD_BYTES, Sending } from '../../support/sequences/sending.ts';
import type { Surroundings } from '../../support/sequences/steps.ts';
import { moment, type Moment } from './clock.ts';
import { ServiceEnd } from './service-end.ts';

/** Bytes that the client has sent at once. */
export type Sent = { readonly from: number; readonly to: number; readonly at: Moment };

/** Bytes that the service has passed to its socket at once. */
export type Written = { readonly from: number; readonly to: number; readonly at: Moment; takenAt: Moment | undefined };

export class Client {
  /** Its address. */
  readonly name: string;
  /** The part of it that it shares with others. */
  readonly network: string;
  readonly end: ServiceEnd;
  readonly openedAt = moment();
  readonly sending = new Sending();
  readonly sends: Sent[] = [];
  readonly writes: Written[] = [];
  readonly bytesWritten: Buffer[] = [];
  taken = 0;
  hasRead = true; // it has never stopped reading
  endedAt: Moment | undefined; // the client's side
  leftAt: Moment | undefined; // the client has closed or reset the connection
  serviceEndedAt: Moment | undefined;
  serviceClosedAt: Moment | undefined;

  constructor(number: number, { addresses, room, isSecure }: Surroundings, note: (text: string) => void) {
    this.network = `2001:db8:0:${number % addresses}`;
    this.name = `${this.network}::${number}`;
    this.end = new ServiceEnd(this.name, room, {
      written: (bytes) => {
        const from = this.writes.at(-1)?.to ?? 0;
        this.writes.push({ from, to: from + bytes.length, at: moment(), takenAt: undefined });
        this.bytesWritten.push(bytes);
        note(`${this.name} wrote ${masked(bytes)}`);
      },
      taken: (count) => {
        this.taken += count;
        for (const write of this.writes) if (write.to <= this.taken) write.takenAt ??= moment();
        note(`${this.name} sent ${count}`);
      },
      ended: () => {
        this.serviceEndedAt = moment();
        note(`${this.name} ended`);
      },
      closed: () => {
        this.serviceClosedAt = moment();
        note(`${this.name} closed`);
      },
    }, isSecure);
  }

  /** Sends requests, but not the last `held` bytes of them. */
  send(parts: readonly Part[], held: number, pieces: number): void {
    if (this.#maySend()) this.#deliver(this.sending.next(parts, held), pieces);
  }

  /** Sends at most `count` more bytes of a request that has begun. */
  more(count: number, pieces: number): void {
    if (this.#maySend()) this.#deliver(this.sending.more(count), pieces);
  }

  read(reads: boolean): void {
    this.hasRead &&= reads;
    this.end.setRead(reads);
  }

  endSide(): void {
    if (!this.#maySend()) return;
    this.endedAt = moment();
    this.end.deliverEnd();
  }

  leave(how: 'close' | 'reset'): void {
    if (this.leftAt !== undefined || this.end.destroyed) return;
    this.leftAt = moment();
    if (how === 'reset') this.end.deliverReset();
    else {
      this.endedAt ??= this.leftAt;
      this.end.deliverClose();
    }
  }

  #maySend(): boolean {
    return this.endedAt === undefined && this.leftAt === undefined;
  }

  #deliver(bytes: string, pieceBytes: number): void {
    if (bytes === '') return;
    const { length } = this.sending;
    this.sends.push({ from: length - bytes.length, to: length, at: moment() });
    const pieces = this.end.isSecure ? inPieces(bytes, Math.min(pieceBytes, MAX_RECORD_BYTES)) : [bytes]; // TCP does not keep them apart
    this.end.deliver(...pieces.map((piece) => Buffer.from(piece, 'latin1')));
  }
}

function masked(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\r\nDate: [^\r]*/g, '\r\nDate: now').replace(/"traceId":"[^"]*"/g, '"traceId":"id"');
}
