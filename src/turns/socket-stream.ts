// A socket as `node:http` and frameworks see it, by way of a Duplex: its addresses, its time-out, and what is written.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

const QUIET_MS = 30_000; // if Node sets no time-out: for a reply that is not taken, or a client that has ended its side
const PART_BYTES = 64 * 1024;
export const LINGER_MS = 1_000; // how long, at least, a client may keep its side open after the last reply

type Callback = (error?: Error | null) => void;
type Write = { readonly chunk: string | Buffer; readonly encoding: BufferEncoding };

// Many short writes become one part, which takes fewer system calls, and a long write becomes several parts. Each part
// is made only when it is due: to make all at once would take time and memory.
function* partsOf(writes: readonly Write[]): Generator<Buffer, undefined> {
  let gathered: Buffer[] = [];
  let length = 0;
  for (const { chunk, encoding } of writes) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const piece = bytes.subarray(at, at + PART_BYTES);
      if (length + piece.length > PART_BYTES) {
        yield Buffer.concat(gathered);
        gathered = [];
        length = 0;
      }
      gathered.push(piece);
      length += piece.length;
    }
  }
  if (length > 0) yield Buffer.concat(gathered);
  return undefined;
}

function ignore(): void {}

export class SocketStream extends Duplex {
  readonly encrypted: boolean;
  readonly #socket: Socket | TLSSocket;
  #limitMs = 0; // 0: none
  #quietMs = 0;
  #isActive = true; // since the last count

  constructor(socket: Socket | TLSSocket) {
    super({ decodeStrings: false });
    this.#socket = socket;
    this.encrypted = 'encrypted' in socket;
    socket.on('error', (error) => this.destroy(error)); // a TLSSocket stays open after some errors
    socket.on('close', () => this.destroy());
    this.on('error', ignore); // without a listener an error would end the process, and Node does not always have one
  }

  get remoteAddress(): string | undefined { return this.#socket.remoteAddress; }
  get remotePort(): number | undefined { return this.#socket.remotePort; }
  get localAddress(): string | undefined { return this.#socket.localAddress; }
  get localPort(): number | undefined { return this.#socket.localPort; }
  get bytesRead(): number { return this.#socket.bytesRead; }
  get authorized(): boolean { return 'authorized' in this.#socket && this.#socket.authorized; }
  getPeerCertificate(): object { return 'getPeerCertificate' in this.#socket ? this.#socket.getPeerCertificate() : {}; }
  setNoDelay(isOn?: boolean): void { this.#socket.setNoDelay(isOn); }
  setKeepAlive(isOn?: boolean, delayMs?: number): void { this.#socket.setKeepAlive(isOn, delayMs); }

  /** As with a socket, `timeout` is emitted after so many ms without activity. `count` counts them. 0: never. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#limitMs = ms;
    this.touch();
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  /** Something has happened: the time of `setTimeout` begins anew. */
  protected touch(): void {
    this.#isActive = true;
  }

  /**
   * Counts `ms` without activity, unless there was some since the last count. So `timeout` is never early, and late by
   * up to two counts. Nothing counts while it `isWaitingForTurn`. QUIET_MS is the limit after its client has ended its
   * side, if Node sets none.
   */
  protected count(ms: number, isWaitingForTurn: boolean, hasClientEnded: boolean): void {
    if (this.destroyed) { // but over TLS, the client may not have taken the close_notify
      this.#socket.destroy();
      return;
    }
    const isPending = this.writableLength > 0; // the kernel has not taken it
    const limitMs = this.#limitMs || (isPending || hasClientEnded ? QUIET_MS : Infinity);
    const wasOver = this.#quietMs >= limitMs; // so `timeout` has been emitted
    if (this.#isActive || (isWaitingForTurn && !isPending)) this.#quietMs = 0;
    else this.#quietMs += ms;
    this.#isActive = false;
    if (this.writableFinished && this.#quietMs >= LINGER_MS) this.destroy();
    else if (this.#quietMs >= limitMs && !wasOver) this.emit('timeout');
  }

  // What a Duplex has to have: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void {} // what arrives is pushed

  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: Callback): void {
    if (this.encrypted || chunk.length > PART_BYTES) return this.#writeParts(partsOf([{ chunk, encoding }]), done);
    this.touch();
    this.#socket.write(chunk, encoding);
    const { writableLength, errored, destroyed } = this.#socket;
    // Faster: if nothing waits, the kernel has it already. Saves 10 %.
    if (writableLength === 0 && errored === null && !destroyed) done();
    else this.#socket.write('', done); // which calls back after what was written before
  }

  override _writev(writes: readonly Write[], done: Callback): void {
    const filled = writes.filter(({ chunk }) => chunk.length > 0); // Node ends each reply with an empty write
    const [first] = filled;
    if (first !== undefined && filled.length === 1) this._write(first.chunk, first.encoding, done);
    else this.#writeParts(partsOf(filled), done);
  }

  // One after the other: each that the kernel takes is activity, even if it takes minutes for all.
  #writeParts(parts: Generator<Buffer, undefined>, done: Callback): void {
    this.touch();
    const { value: part } = parts.next();
    if (part === undefined) done();
    else this.#socket.write(part, (error) => (error ? done(error) : this.#writeParts(parts, done)));
  }

  override _final(done: Callback): void {
    this.touch();
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: Callback): void {
    const isTaken = error === null && this.#socket.writableLength === 0;
    if (isTaken) this.#socket.destroySoon(); // over TLS, this says goodbye (RFC 8446 6.1)
    else this.#socket.destroy();
    done(error);
  }
}
