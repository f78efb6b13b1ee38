// The service's end of a connection in memory: what it sees of a net.Socket, what the kernel does below it, and what has happened.
import { Duplex } from 'node:stream';
import { moment, type Moment } from './clock.ts';

type Done = (error?: Error | null) => void;

/** Bytes that the service has written. */
export type Written = {
  readonly bytes: Buffer;
  readonly to: number; // where they end in all that it has written
  readonly at: Moment;
  readonly bytesRead: number; // by then
  takenAt: Moment | undefined; // by the kernel
};

const NOTHING = Buffer.alloc(0);
/** How many bytes arrive at once, at most. */
const MAX_READ_BYTES = 64 * 1024;

export class ServiceEnd extends Duplex {
  readonly remoteAddress: string;
  bytesRead = 0; // how many bytes of the client the service has read
  readonly writes: Written[] = [];
  endedAt: Moment | undefined; // the service has ended its side
  closedAt: Moment | undefined; // the service has closed the connection
  readonly #room: number; // for so many bytes, while the client does not read
  readonly #note: (text: string) => void;
  #taken = 0; // how many bytes the kernel has taken from the service
  #unread = 0; // how many of these the client has not read
  #isRead = true; // the client reads
  #toService = NOTHING; // what the client has sent, and the service has not read
  #isWanted = false; // the service reads
  #clientHasEnded = false;
  #isReset = false;
  #writing: { bytes: Buffer; readonly done: Done } | undefined;

  /** `note` is told what the service does. */
  constructor(remoteAddress: string, room: number, note: (text: string) => void = () => {}) {
    super({ allowHalfOpen: true, emitClose: false, highWaterMark: 0 }); // like a net.Socket of server.ts
    this.remoteAddress = remoteAddress;
    this.#room = room;
    this.#note = note;
  }

  // What the client does.

  deliver(bytes: Buffer): void {
    if (this.destroyed || this.#clientHasEnded || this.#isReset) return;
    this.#toService = Buffer.concat([this.#toService, bytes]);
    this.#pump();
  }

  deliverEnd(): void {
    this.#clientHasEnded = true;
    this.#pump();
  }

  deliverReset(): void {
    this.#isReset = true;
    this.#pump();
    this.#take();
  }

  /** The client reads from now on, or does not. */
  setRead(isRead: boolean): void {
    this.#isRead = isRead;
    if (isRead) this.#unread = 0;
    this.#take();
  }

  // What the kernel does.

  #pump(): void {
    if (!this.#isWanted || this.destroyed) return;
    if (this.#toService.length > 0) {
      const bytes = this.#toService.subarray(0, MAX_READ_BYTES);
      const isAll = bytes.length === this.#toService.length;
      this.#toService = isAll ? NOTHING : this.#toService.subarray(bytes.length); // an empty part would keep all of it
      this.bytesRead += bytes.length;
      if (!this.push(bytes)) this.#isWanted = false;
      else if (!isAll || this.#clientHasEnded || this.#isReset) setImmediate(() => this.#pump());
    } else if (this.#isReset) this.destroy(new Error('read ECONNRESET'));
    else if (this.#clientHasEnded) {
      this.#isWanted = false;
      this.push(null);
      this.read(0); // as a net.Socket does: `end` may come while it is paused
    }
  }

  #take(): void {
    const writing = this.#writing;
    if (writing === undefined) return;
    if (this.#isReset) return this.#finishWriting(new Error('write EPIPE'));
    const { bytes } = writing;
    const count = this.#isRead ? bytes.length : Math.max(0, Math.min(bytes.length, this.#room - this.#unread));
    if (!this.#isRead) this.#unread += count;
    this.#taken += count;
    for (const write of this.writes) if (write.to <= this.#taken) write.takenAt ??= moment();
    if (count > 0) this.#note(`sent ${count}`);
    writing.bytes = bytes.subarray(count);
    if (writing.bytes.length === 0) this.#finishWriting(null);
  }

  #finishWriting(error: Error | null): void {
    const done = this.#writing?.done;
    this.#writing = undefined;
    done?.(error);
  }

  // What the service does. Node calls these: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void {
    this.#isWanted = true;
    if (this.#toService.length > 0 || this.#clientHasEnded || this.#isReset) setImmediate(() => this.#pump());
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    if (bytes.length > 0) {
      const to = (this.writes.at(-1)?.to ?? 0) + bytes.length;
      this.writes.push({ bytes, to, at: moment(), bytesRead: this.bytesRead, takenAt: undefined });
      this.#note(`wrote ${bytes.length} bytes: ${bytes.toString('latin1').split('\r\n', 1).join()}`);
    }
    this.#writing = { bytes, done };
    this.#take();
  }

  override _final(done: Done): void {
    this.endedAt = moment();
    this.#note('ended');
    setImmediate(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#writing = undefined;
    this.closedAt = moment();
    this.#note('closed');
    done(error);
    setImmediate(() => this.emit('close', error !== null)); // as for a net.Socket, in a later iteration
  }
}
