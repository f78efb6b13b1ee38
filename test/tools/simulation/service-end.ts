// The service's end of a connection in memory: what it sees of a net.Socket, and what the kernel does behind it.
import { Duplex } from 'node:stream';
import { SendBuffer } from './send-buffer.ts';

type Done = (error?: Error | null) => void;

/** What is told that the service has passed bytes to its socket, and ended its side or closed it, and what the kernel has taken. */
export type Observer = {
  readonly written: (bytes: Buffer) => void;
  readonly taken: (count: number) => void;
  readonly ended: () => void;
  readonly closed: () => void;
};

/** How much of it arrives at once, at most. */
export const MAX_READ_BYTES = 64 * 1024;

export class ServiceEnd extends Duplex {
  readonly remoteAddress: string;
  /** How many bytes of the client the service has read. */
  bytesRead = 0;
  /** The most bytes that were in the stream at once, and the most chunks. */
  mostBytesHeld = 0;
  mostChunksHeld = 0;
  #chunksHeld = 0;
  /** What the service has sent. */
  readonly toClient: SendBuffer;
  readonly #observer: Observer;
  #toService = Buffer.alloc(0); // what the client has sent, and the service has not read
  #late = 0; // how many bytes at its end have not arrived yet
  #isWanted = false; // the service reads
  #clientHasEnded = false;
  #clientHasClosed = false;
  #isReset = false;
  #writing: { bytes: Buffer; readonly done: Done } | undefined;

  constructor(remoteAddress: string, room: number, observer: Observer) {
    super({ allowHalfOpen: true, emitClose: false, highWaterMark: 0 }); // like a net.Socket of server.ts
    this.remoteAddress = remoteAddress;
    this.toClient = new SendBuffer(room);
    this.#observer = observer;
  }

  // What the client does.

  /** These bytes arrive after what has been delivered before: so many of them at once, and the rest three turns later. */
  deliver(bytes: Buffer, atOnce = bytes.length): void {
    if (this.destroyed) return this.toClient.discard(); // a closed socket answers with a reset
    if (this.#clientHasEnded || this.#isReset) return;
    this.#toService = Buffer.concat([this.#toService, bytes]);
    this.#late = bytes.length - atOnce;
    if (this.#late > 0) setImmediate(() => setImmediate(() => setImmediate(() => { this.#late = 0; this.#pump(); })));
    this.#pump();
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
    if (!this.toClient.isEmpty) return this.deliverReset();
    this.#clientHasClosed = true;
    this.deliverEnd();
    this.#take();
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
    if (!this.#isWanted || this.destroyed) return;
    if (this.#toService.length > 0) {
      const count = Math.min(MAX_READ_BYTES, this.#toService.length - this.#late);
      if (count === 0) return; // the rest comes later
      const bytes = this.#toService.subarray(0, count);
      this.#toService = this.#toService.subarray(count);
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

  override push(chunk: Buffer | null): boolean {
    if (this.readableLength === 0) this.#chunksHeld = 0;
    const mayPush = super.push(chunk);
    if (this.readableLength > 0) this.#chunksHeld += 1;
    this.mostChunksHeld = Math.max(this.mostChunksHeld, this.#chunksHeld);
    this.mostBytesHeld = Math.max(this.mostBytesHeld, this.readableLength);
    return mayPush;
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
