// A client of the simulation: what it has sent, and what it has seen of the service.
import type { Part } from '../../support/sequences/part.ts';
import { moment, type Moment } from './clock.ts';
import { ServiceEnd } from './service-end.ts';

/** A request of which at least one byte has been sent. */
export type SentPart = {
  readonly part: Part;
  /** How many of its bytes have been sent. */
  sent: number;
  /** Where it begins in all that the client has sent. */
  readonly from: number;
  /** It has been sent in this many steps. */
  steps: number;
  /** When its first byte that is not CR or LF was sent. */
  begunAt: Moment | undefined;
  /** When the last byte of its head was sent. */
  headAt: Moment | undefined;
  /** When its last byte was sent. */
  wholeAt: Moment | undefined;
};

/** Bytes that the service has passed to its socket at once. */
export type Written = { readonly from: number; readonly to: number; readonly at: Moment; takenAt: Moment | undefined };

export class Client {
  /** Its address. */
  readonly name: string;
  /** The part of it that it shares with others. */
  readonly network: string;
  readonly end: ServiceEnd;
  readonly openedAt = moment();
  readonly parts: SentPart[] = [];
  readonly writes: Written[] = [];
  readonly bytesWritten: Buffer[] = [];
  taken = 0;
  sentBytes = 0;
  hasRead = true; // it has never stopped reading
  endedAt: Moment | undefined; // the client's side
  leftAt: Moment | undefined; // the client has closed or reset the connection
  serviceEndedAt: Moment | undefined;
  serviceClosedAt: Moment | undefined;

  constructor(number: number, addresses: number, room: number, note: (text: string) => void) {
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
    });
  }

  /** Sends whole requests, but holds back the last `held` bytes. What is left of the request before them is sent, too. */
  send(parts: readonly Part[], held: number): void {
    if (!this.#maySend()) return;
    const before = this.#unfinished();
    let bytes = before === undefined ? '' : this.#next(before, before.part.bytes.length);
    parts.forEach((part, i) => {
      const sent: SentPart = { part, sent: 0, from: this.sentBytes + bytes.length, steps: 0, begunAt: undefined, headAt: undefined, wholeAt: undefined };
      this.parts.push(sent);
      bytes += this.#next(sent, i < parts.length - 1 ? part.bytes.length : Math.max(1, part.bytes.length - held));
    });
    this.#deliver(bytes);
  }

  /** Sends at most `count` more bytes of a request that has begun. */
  more(count: number): void {
    const unfinished = this.#unfinished();
    if (unfinished !== undefined && this.#maySend()) this.#deliver(this.#next(unfinished, count));
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

  #unfinished(): SentPart | undefined {
    const latest = this.parts.at(-1);
    return latest?.wholeAt === undefined ? latest : undefined;
  }

  #next(sent: SentPart, count: number): string {
    const { part } = sent;
    const bytes = part.bytes.slice(sent.sent, sent.sent + count);
    sent.sent += bytes.length;
    sent.steps += 1;
    if (/[^\r\n]/.test(part.bytes.slice(0, sent.sent))) sent.begunAt ??= moment();
    if (sent.sent >= headLength(part.bytes)) sent.headAt ??= moment();
    if (sent.sent === part.bytes.length) sent.wholeAt = moment();
    return bytes;
  }

  #deliver(bytes: string): void {
    this.sentBytes += bytes.length;
    this.end.deliver(Buffer.from(bytes, 'latin1'));
  }
}

// CR LF in front of a request does not belong to it.
function headLength(bytes: string): number {
  return bytes.indexOf('\r\n\r\n', bytes.search(/[^\r\n]/)) + 4;
}

function masked(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\r\nDate: [^\r]*/g, '\r\nDate: now').replace(/"traceId":"[^"]*"/g, '"traceId":"id"');
}
