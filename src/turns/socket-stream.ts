// A socket as `node:http` and frameworks see it, by way of a Duplex: what they may ask of it, and what they write.
// See https://nodejs.org/api/stream.html#implementing-a-duplex-stream
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { write, type Callback, type Write } from './writes.ts';

// From `encrypted` on, they are those of a TLSSocket.
const MEMBERS = [
  'remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort', 'localFamily', 'bytesRead',
  'connecting', 'pending', 'readyState', 'address', 'setNoDelay', 'setKeepAlive', 'ref', 'unref',
  'resetAndDestroy', 'encrypted', 'authorized', 'authorizationError', 'alpnProtocol',
  'servername', 'getCipher', 'getProtocol', 'getPeerCertificate', 'getPeerX509Certificate', 'isSessionReused',
];

export class SocketStream extends Duplex {
  declare readonly bytesRead: number;
  protected readonly socket: Socket;
  protected isActive = true; // something has happened since somebody last looked
  readonly #touch = () => { this.isActive = true; };

  static {
    for (const name of MEMBERS) {
      Object.defineProperty(this.prototype, name, {
        get(this: SocketStream) { return this.#member(name); },
        set(this: SocketStream, value) { Object.defineProperty(this, name, { value, writable: true }); },
      });
    }
  }

  constructor(socket: Socket) {
    super({ decodeStrings: false, emitClose: false });
    this.socket = socket;
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    this.on('error', () => {}); // without a listener, an error would end the process, and Node does not always have one
  }

  get bytesWritten(): number {
    return this.socket.bytesWritten + (this.writableCorked > 0 ? this.writableLength : 0);
  }

  // Where a function of the socket returns that, as `setNoDelay` does, this stream is returned.
  #member(name: string): unknown {
    const { socket } = this;
    const member: unknown = Reflect.get(socket, name);
    if (typeof member !== 'function') return member;
    return (...args: unknown[]): unknown => {
      const result: unknown = Reflect.apply(member, socket, args);
      return result === socket ? this : result;
    };
  }

  override _read(): void {} // what arrives is pushed

  override _writev(writes: readonly Write[], done: Callback): void {
    write(this.socket, writes, this.#touch, done);
  }

  override _destroy(error: Error | null, done: Callback): void {
    const isTaken = error === null && this.socket.writableLength === 0;
    if (isTaken) this.socket.destroySoon(); // over TLS, this says goodbye (RFC 8446 6.1)
    else setImmediate(() => this.socket.destroy()); // in a read that ends a TLS handshake, Node 20 has sent nothing yet
    done(error);
    process.nextTick(() => this.emit('close', error !== null)); // as a socket does
  }
}
