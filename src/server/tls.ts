// TLS on an accepted socket, with a valve between them. Node decrypts in one go all that TLS is given, and the client chooses what
// that is: 16 KiB can be one record, or 700 records of one byte each. So records are counted, and TLS gets them a piece at a time.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket, type SecureContext } from 'node:tls';
import type { Transport } from './connection.ts';
import { createIntake, type Intake } from './intake.ts';
import { Records } from './records.ts';
import { BUDGET, type Turns } from './turns.ts';
import { write } from './write.ts';

const MAX_PIECE_COST = 16 * 1024; // another record begins in a piece only while the bytes before it, and RECORD_COST for each, cost less
const RECORD_COST = 1024; // what a record costs besides its bytes
const HANDSHAKE_COST = BUDGET / 2; // what a piece of a handshake costs besides its bytes: it may require the key exchange and a signature

/** Speaks TLS on `carrier`, which comes from `client`, with the certificate and the key in `secureContext`. */
export function secure(secureContext: SecureContext, carrier: Socket, client: string, turns: Turns): Transport {
  const options = {
    isServer: true,
    secureContext,
    ALPNProtocols: ['http/1.1'], // RFC 7301: a client that speaks only HTTP/2 is refused in the handshake
    highWaterMark: 0, // while the socket is paused, it asks for no more
  };
  const valve = new Valve(carrier, client, turns);
  const socket = new TLSSocket(valve, options);
  socket.once('secure', () => { valve.isReady = true; }); // https://nodejs.org/api/tls.html#event-secure
  // RFC 8446 6.2: a TLS error ends the connection. After the handshake, this event is the only sign of it.
  socket.on('_tlsError', () => { valve.hasFailed = true; socket.destroy(); });
  return { socket, below: valve };
}

export class Valve extends Duplex {
  isReady = false; // the handshake is over
  readonly intake: Intake; // of what has arrived but TLS has not received yet
  hasFailed = false; // TLS has rejected what the client has sent
  readonly #carrier: Socket;
  readonly #turns: Turns;
  readonly #records = new Records();
  #isAsked = false; // TLS has asked for bytes, and has received none since

  /** What is written to the valve is written to `carrier`. They are closed together. */
  constructor(carrier: Socket, client: string, turns: Turns) {
    super({ readableHighWaterMark: 0 });
    this.#carrier = carrier;
    this.#turns = turns;
    // TLS answers some records by itself. It gets no more records until the kernel has taken the answers.
    const accepts = () => this.#isAsked && this.writableLength === 0;
    this.intake = createIntake(carrier, client, turns, false, {
      accepts, consume: (bytes) => this.#pass(bytes), isHandshake: () => !this.isReady, end: () => this.push(null),
    });
    carrier.on('error', () => {}); // without a handler, an error would end the process; `close` follows
    carrier.once('close', () => this.destroy());
  }

  /** Of a connection that has closed: whether TLS had failed, or its handshake had begun and was not over. */
  get isBroken(): boolean { return this.hasFailed || (!this.isReady && this.#carrier.bytesRead > 0); }

  #pass(bytes: Buffer): number {
    const { length, records } = this.#records.pass(bytes, MAX_PIECE_COST, RECORD_COST);
    this.#turns.spend(this.isReady ? RECORD_COST * records : HANDSHAKE_COST);
    this.#isAsked = false;
    this.push(bytes.subarray(0, length));
    return length;
  }

  // Node calls these methods: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void {
    this.#isAsked = true;
    this.intake.proceed();
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    write(this.#carrier, bytes, () => { done(); this.intake.proceed(); });
  }

  override _final(done: () => void): void { this.#carrier.end(); done(); }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void { this.#carrier.destroy(); done(error); }
}
