// The stream of a connection, as far as it is about its socket: what has been written is done when the system has taken it.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export type Done = (error?: Error | null) => void;

export abstract class SocketStream extends Duplex {
  /** Over TLS the TLSSocket, otherwise the TCP or Unix socket. */
  protected readonly socket: Socket;
  protected readonly isSecure: boolean;
  /** The client's IP address; undefined on a Unix socket. */
  readonly clientAddress: string | undefined;

  constructor(socket: Socket) {
    super({ readableHighWaterMark: 0, decodeStrings: false });
    this.socket = socket;
    this.isSecure = 'encrypted' in socket; // only a TLSSocket has this property
    this.clientAddress = socket.remoteAddress; // here, because a closed socket does not know it
    // An `error` event without a listener ends the process. There is nothing else to do: `close` follows.
    this.on('error', () => {});
    socket.on('error', () => {});
    socket.once('close', () => this.destroy());
  }

  /** Whether the client has sent no data. */
  get isNew(): boolean {
    return this.socket.bytesRead === 0;
  }

  /** Called when a reply has left. */
  protected abstract replyLeft(): void;

  /** Puts bytes back that cannot be used yet, and pauses the socket. Node then reads no more: its high water mark is 0. */
  protected hold(bytes: Buffer): void {
    // `read` joins the records that came with the first one: each takes some hundred bytes of memory, and may carry a single byte of data.
    if (this.isSecure && !this.socket.isPaused()) process.nextTick(() => this.socket.readableLength > 0 && this.socket.read());
    this.socket.pause();
    this.socket.unshift(bytes);
  }

  // Node calls these methods, and those of `Connection` that begin with `_`: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  // A chunk is a whole reply. Node 20 and 22 write an empty chunk behind one with content.
  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: Done): void {
    if (chunk.length === 0) return done();
    const taken = () => { done(); this.replyLeft(); };
    this.socket.write(chunk, encoding);
    // That `write` returns true does not say that the system has taken the bytes. After an error, `done` must not be called.
    const { writableLength, errored, destroyed } = this.socket;
    if (writableLength === 0 && errored === null && !destroyed) taken();
    else this.socket.write('', (error) => { if (!error) taken(); });
  }
}
