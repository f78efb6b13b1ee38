// A connection as `node:http` has it, in place of the socket: a Duplex, as any stream may be one
// (https://nodejs.org/api/http.html#event-connection). What its client sends comes by way of a passage, in turns.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import type { Connection } from './connection.ts';
import { createPassage, type Passage } from './passage.ts';
import type { Turns } from './turns.ts';
import { write, type Callback, type Write } from './writes.ts';

// If Node sets no time-out: for who has ended its side, or takes nothing of a reply. The kernel takes more when a third
// of what it holds is taken: at 1 KB/s (2 should do), within 1/3 ms for each byte that it has been given.
const QUIET_MS = 30_000;
const MS_PER_BYTE = 1 / 3;
const KERNEL_BYTES = 4 * 1024 * 1024; // that it holds of a connection, at most (`net.ipv4.tcp_wmem`)
const LINGER_MS = 1_000; // how long, at least, a client has to read the last reply until we close

export class Valve extends Duplex {
  readonly connection: Connection;
  readonly passage: Passage;
  readonly socket: Socket;
  #quietMs = 0; // how long nothing has happened
  #limitMs = 0; // of that; 0: none

  /** `socket` is, over TLS, the decrypted one of `connection`. Without `halfClosed`, Node closes the connection. */
  constructor(socket: Socket, connection: Connection, turns: Turns, halfClosed?: (valve: Valve) => void) {
    super({ decodeStrings: false });
    if (connection.header?.client !== undefined) { // a load balancer has named it
      const { address: remoteAddress, port: remotePort, family } = connection.header.client;
      Object.assign(this, { remoteAddress, remotePort, remoteFamily: family.replace('ip', 'IP') });
    }
    this.connection = connection;
    this.socket = socket;
    this.passage = createPassage({ socket, stream: this, connection, turns }, halfClosed && (() => halfClosed(this)));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    this.on('error', () => {}); // without a listener, an error would end the process, and Node does not always have one
  }

  get bytesRead(): number { // without a header of a load balancer, which comes before TLS
    return this.socket.bytesRead - ('encrypted' in this.socket ? 0 : (this.connection.header?.length ?? 0));
  }

  /** What is lost if it closes. 0: nothing; 1: what waits for a turn or to be sent; 2: a request in progress. */
  get loss(): number {
    const { pieces, hasMore } = this.passage;
    if (this.writableFinished) return 0;
    if (pieces.hasBegun) return 2;
    return hasMore() || this.writableLength > 0 ? 1 : 0;
  }

  override _read(): void {} // the passage pushes what has its turn

  override read(size?: number): unknown {
    const taken: unknown = super.read(size);
    this.passage.wasRead();
    return taken;
  }

  override _writev(writes: readonly Write[], done: Callback): void {
    write(this.socket, this.connection, writes, done);
  }

  /** As with a socket, `timeout` is emitted after so many ms in which nothing happens (`sweep`). 0: never. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#limitMs = ms;
    this.connection.isActive = true;
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  /** To be called every `ms` milliseconds. So `timeout` is never early, and late by up to two such times. */
  sweep(ms: number): void {
    if (this.destroyed) return void this.socket.destroy(); // over TLS, a client may not have taken the close_notify
    const limitMs = this.#limit();
    const hasTimedOut = this.#quietMs >= limitMs;
    const isWaiting = this.passage.isWaiting() && this.writableLength === 0;
    this.#quietMs = this.connection.isActive || isWaiting ? 0 : this.#quietMs + ms;
    this.connection.isActive = false;
    if (this.writableFinished && this.#quietMs >= LINGER_MS) this.destroy();
    else if (this.#quietMs >= limitMs && !hasTimedOut) this.emit('timeout');
  }

  #limit(): number {
    if (this.#limitMs > 0) return this.#limitMs;
    if (this.writableLength > 0) return QUIET_MS + MS_PER_BYTE * Math.min(this.socket.bytesWritten, KERNEL_BYTES);
    return this.socket.readableEnded ? QUIET_MS : Infinity;
  }

  /** Ends this side, as Node does after a last reply. The connection closes when its client has had time to read. */
  destroySoon(): void { this.end(); }

  override _final(done: Callback): void {
    this.passage.lastReply.written(this.passage.pieces.isArriving);
    done();
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.passage.clear();
    const isTaken = error === null && this.socket.writableLength === 0;
    if (isTaken) this.socket.destroySoon(); // over TLS, this says goodbye (RFC 8446 6.1)
    else setImmediate(() => this.socket.destroy()); // in the read that ends a handshake, Node 20 has sent nothing yet
    done(error);
  }
}

// What else may be asked of a socket, and may be replaced. From `encrypted` on: of a TLSSocket; undefined without TLS.
for (const name of [
  'remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort', 'localFamily', 'bytesWritten',
  'connecting', 'pending', 'readyState', 'address', 'setNoDelay', 'setKeepAlive', 'ref', 'unref', 'resetAndDestroy',
  'encrypted', 'authorized', 'authorizationError', 'alpnProtocol', 'servername', 'getCipher', 'getProtocol',
  'getPeerCertificate', 'getPeerX509Certificate', 'isSessionReused',
]) {
  Object.defineProperty(Valve.prototype, name, {
    get(this: Valve) { return memberOf(this.socket, name, this); },
    set(this: Valve, value) { Object.defineProperty(this, name, { value, writable: true }); },
  });
}

/** Returns that member of `real`. Where a function returns `real`, as `ref` does, `inPlace` is returned. */
export function memberOf(real: object, name: string, inPlace: object): unknown {
  const member: unknown = Reflect.get(real, name);
  if (typeof member !== 'function') return member;
  return (...args: unknown[]): unknown => {
    const result: unknown = Reflect.apply(member, real, args);
    return result === real ? inPlace : result;
  };
}
