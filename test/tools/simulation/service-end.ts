// The service's end of a connection in memory: what it sees of a net.Socket, and what the kernel does below it.
import { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/** What is told that the service has passed bytes to its socket, and ended its side or closed it, and what the kernel has taken. */
export type Observer = {
  readonly written: (bytes: Buffer) => void;
  readonly taken: (count: number) => void;
  readonly ended: () => void;
  readonly closed: () => void;
};

const NOTHING = Buffer.alloc(0);
/** How much of it arrives at once, at most. */
const MAX_READ_BYTES = 64 * 1024;

export class ServiceEnd extends Duplex {
  readonly remoteAddress: string;
  bytesRead = 0; // how many bytes of the client the service has read
  #unread = 0; // how many bytes the kernel has taken from the service, and the client has not read
  #isRead = true; // the client reads
  readonly #room: number; // for so many bytes, while it does not
  readonly #observer: Observer;
  #toService = Buffer.alloc(0); // what the client has sent, and the service has not read
  #late = 0; // how many bytes at its end have not arrived yet
  readonly #arrivals: (() => void)[] = []; // to be called when they have
  #isWanted = false; // the service reads
  #clientHasEnded = false;
  #isReset = false;
  #writing: { bytes: Buffer; readonly done: Done } | undefined;

  constructor(remoteAddress: string, room: number, observer: Observer) {
    super({ allowHalfOpen: true, emitClose: false, highWaterMark: 0 }); // like a net.Socket of server.ts
    this.remoteAddress = remoteAddress;
    this.#room = room;
    this.#observer = observer;
  }

  // What the client does.

  /**
   * These bytes arrive after what has been delivered before: that many of them at once, and the rest when `later` calls its argument.
   * Then `arrived` is called.
   */
  deliver(bytes: Buffer, arrived = () => {}, atOnce = bytes.length, later: (arrive: () => void) => void = () => {}): void {
    if (this.destroyed || this.#clientHasEnded || this.#isReset) return arrived();
    this.#toService = Buffer.concat([this.#toService, bytes]);
    this.#arrivals.push(arrived);
    const isLate = this.#late > 0;
    this.#late += isLate ? bytes.length : bytes.length - atOnce;
    if (this.#late === 0) this.#arrive();
    else if (!isLate) later(() => this.#arrive());
    this.#pump();
  }

  #arrive(): void {
    this.#late = 0;
    for (const arrived of this.#arrivals.splice(0)) arrived();
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
      const count = Math.min(MAX_READ_BYTES, this.#toService.length - this.#late);
      if (count === 0) return; // the rest comes later
      const bytes = this.#toService.subarray(0, count);
      this.#toService = count === this.#toService.length ? NOTHING : this.#toService.subarray(count); // a part would keep all of it
      this.bytesRead += bytes.length;
      if (!this.push(bytes)) this.#isWanted = false;
      else if (this.#toService.length > 0 || this.#clientHasEnded || this.#isReset) setImmediate(() => this.#pump());
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
    if (count > 0) this.#observer.taken(count);
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
    if (bytes.length > 0) this.#observer.written(bytes);
    this.#writing = { bytes, done };
    this.#take();
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done);
  }

  override _final(done: Done): void {
    this.#observer.ended();
    setImmediate(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#writing = undefined;
    this.#observer.closed();
    done(error);
    setImmediate(() => this.emit('close', error !== null)); // as for a net.Socket, in a later iteration
  }
}
