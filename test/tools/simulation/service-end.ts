// The service's end of a connection in memory: what it sees of a net.Socket, and what the kernel does behind it.
import { Duplex } from 'node:stream';
import { callback } from './clock.ts';
import { SendBuffer } from './send-buffer.ts';

type Done = (error?: Error | null) => void;

/** What happens on the connection, as the kernel sees it. */
export type Observer = {
  /** The service has passed these bytes to its socket. */
  readonly written: (bytes: Buffer) => void;
  /** The kernel has taken this many of them. */
  readonly taken: (count: number) => void;
  /** The service has ended its side. */
  readonly ended: () => void;
  /** The service has closed its socket. */
  readonly closed: () => void;
};

/** How much of it arrives at once, at most. */
export const MAX_READ_BYTES = 64 * 1024;
/** Of the records of TLS, so many bytes arrive in a turn, at most: valve.ts gives no more to TLS. A longer record arrives whole. */
export const BURST_BYTES = 2 * 1024;

export class ServiceEnd extends Duplex {
  readonly remoteAddress: string;
  /** It is what TLS has in place of a socket. */
  readonly isSecure: boolean;
  /** How many bytes of the client the service has read. */
  bytesRead = 0;
  /** The most bytes that it has held at once, and the most chunks; and the most chunks that have arrived at once. */
  mostBytesHeld = 0;
  mostChunksHeld = 0;
  mostAtOnce = 1;
  /** How many chunks have arrived in each callback of the event loop. */
  readonly arrivals = new Map<number, number>();
  #chunksHeld = 0;
  /** What the service has sent. */
  readonly toClient: SendBuffer;
  readonly #observer: Observer;
  #toService: Buffer[] = []; // what the client has sent, and the service has not read
  #isWanted = false; // the service reads
  #clientHasEnded = false;
  #clientHasClosed = false;
  #isReset = false;
  #writing: { bytes: Buffer; readonly done: Done } | undefined;

  constructor(remoteAddress: string, room: number, observer: Observer, isSecure = false) {
    super({ allowHalfOpen: true, emitClose: false, highWaterMark: 0 }); // like a net.Socket of server.ts
    this.remoteAddress = remoteAddress;
    this.isSecure = isSecure;
    this.toClient = new SendBuffer(room);
    this.#observer = observer;
  }

  // What the client does.

  /** These pieces arrive after what has been delivered before; over TLS each is a record. */
  deliver(...pieces: readonly Buffer[]): void {
    if (this.destroyed) this.toClient.discard(); // a closed socket answers with a reset
    else if (!this.#clientHasEnded && !this.#isReset) {
      this.#toService.push(...pieces);
      this.#pump();
    }
  }

  deliverEnd(): void {
    this.#clientHasEnded = true;
    this.#pump();
  }

  deliverReset(): void {
    this.#isReset = true;
    this.toClient.discard();
    this.#pump();
    this.#take();
  }

  /** Like `close` of a socket: with unread bytes it is a reset. */
  deliverClose(): void {
    if (!this.toClient.isEmpty) this.deliverReset();
    else {
      this.#clientHasClosed = true;
      this.deliverEnd();
      this.#take();
    }
  }

  /** The client reads from now on, or does not. */
  setRead(isRead: boolean): void {
    this.toClient.setRead(isRead);
    this.#take();
  }

  /** The client reads so many bytes. */
  readSome(count: number): void {
    this.toClient.read(count);
    this.#take();
  }

  // What the kernel does.

  #pump(): void {
    // TLS has a socket of its own below, which goes on to read until bytes arrive. So it notices a reset at once.
    const isNoticed = this.isSecure && this.#isReset && this.#toService.length === 0;
    if (!(this.#isWanted || isNoticed) || this.destroyed) return;
    if (this.#toService.length > 0) {
      this.#isWanted = false;
      this.#arrive(this.#next());
    } else if (this.#isReset) this.destroy(new Error('read ECONNRESET'));
    else if (this.#clientHasEnded) {
      this.#isWanted = false;
      this.push(null);
    }
  }

  // What arrives now: over TLS some records, otherwise as much as there is.
  #next(): Buffer[] {
    if (this.isSecure) {
      let length = 0;
      const count = this.#toService.findIndex((record) => (length += record.length) > BURST_BYTES);
      return this.#toService.splice(0, count === -1 ? Infinity : Math.max(1, count));
    }
    const [first] = this.#toService;
    const all = this.#toService.length === 1 && first !== undefined ? first : Buffer.concat(this.#toService);
    this.#toService = all.length > MAX_READ_BYTES ? [all.subarray(MAX_READ_BYTES)] : [];
    return [all.subarray(0, MAX_READ_BYTES)];
  }

  // All in one callback of the event loop. Between some of them node does what follows from the one before.
  #arrive(pieces: readonly Buffer[], from = 0): void {
    this.mostAtOnce = Math.max(this.mostAtOnce, pieces.length);
    for (let i = from; i < pieces.length && !this.destroyed; i += 1) {
      const piece = pieces[i] ?? null;
      this.bytesRead += piece?.length ?? 0;
      this.arrivals.set(callback(), (this.arrivals.get(callback()) ?? 0) + 1);
      if (!this.push(piece)) this.#isWanted = false;
      if (i % 2 === 1) return process.nextTick(() => this.#arrive(pieces, i + 1));
    }
  }

  override push(chunk: Buffer | null): boolean {
    this.#mayHold();
    const mayPush = super.push(chunk);
    this.#hold();
    return mayPush;
  }

  override unshift(chunk: Buffer): void {
    this.#mayHold();
    super.unshift(chunk);
    this.#hold();
  }

  // Node 26 gives one chunk; before, all are joined.
  override read(size?: number): unknown {
    const bytes: unknown = super.read(size);
    if (bytes !== null) this.#chunksHeld -= 1;
    this.#mayHold();
    return bytes;
  }

  #mayHold(): void {
    if (this.readableLength === 0) this.#chunksHeld = 0;
  }

  #hold(): void {
    const { readableLength } = this;
    if (readableLength === 0) return;
    this.#chunksHeld += 1;
    this.mostChunksHeld = Math.max(this.mostChunksHeld, this.#chunksHeld);
    this.mostBytesHeld = Math.max(this.mostBytesHeld, readableLength);
  }

  #take(): void {
    const writing = this.#writing;
    if (writing === undefined) return;
    if (this.#isReset) return this.#finishWriting(new Error('write EPIPE'));
    const { bytes } = writing;
    const count = this.#clientHasClosed ? bytes.length : this.toClient.take(bytes);
    if (count > 0) this.#observer.taken(count);
    if (this.#clientHasClosed) {
      this.#isReset = true; // the client's kernel answers so
      setImmediate(() => this.#pump());
    }
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
    if (this.#toService.length > 0) this.toClient.discard(); // with unread bytes, a close is a reset
    this.#observer.closed();
    done(error);
    setImmediate(() => this.emit('close', error !== null)); // as for a net.Socket, in a later turn
  }
}
