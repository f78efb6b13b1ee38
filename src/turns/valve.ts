// Between a socket and `node:http`: decides when Node gets how much of what a client sends. A server takes any Duplex
// as a connection: https://nodejs.org/api/http.html#event-connection. A piece passes when its client has a turn, and
// none while a request waits for its reply.
import type { Socket } from 'node:net';
import { Pieces } from './pieces.ts';
import { SocketStream } from './socket-stream.ts';
import { Tap } from './tap.ts';
import type { Queue, Queues, Turns } from './turns.ts';

const SHORT_BYTES = 1024; // the most that may go ahead without a turn
const DISCARD_MS = 50; // how often a read is discarded of what a client sends after the last reply
const NOTHING: Buffer = Buffer.alloc(0);

export class Valve extends SocketStream {
  readonly pieces = new Pieces();
  readonly #queues: Queues;
  readonly #turns: Turns;
  readonly #tap: Tap;
  #held = NOTHING; // what has arrived and has not passed
  #queue: Queue | undefined; // in which this waits for a turn
  #isFull = false; // Node has stopped taking, because a handler does not read
  #hasClientEnded = false;

  /** `socket` is, over TLS, the decrypted one. `queues` are those of its client. */
  constructor(socket: Socket, queues: Queues, turns: Turns) {
    super(socket);
    this.#queues = queues;
    this.#turns = turns;
    this.#tap = new Tap(socket, (bytes) => this.#arrived(bytes));
    socket.allowHalfOpen = true; // over TLS, too, a client may end its side and still read
    socket.on('end', () => {
      this.#hasClientEnded = true;
      this.touch();
      this.#proceed();
    });
  }

  /** Whether closing loses nothing: no request has begun or waits, and no reply is left to send. */
  get isIdle(): boolean {
    const hasBegun = this.pieces.hasBegun || this.#held.length > 0;
    return this.writableFinished || (!hasBegun && this.writableLength === 0);
  }

  /** The response has closed: the kernel has all of the reply, or there will be no more of it. */
  answered(): void {
    this.pieces.answer();
    this.#proceed();
  }

  /** Its turn: one piece passes, or what has arrived after the last reply is discarded. */
  takeTurn(): void {
    this.#queue = undefined;
    if (this.writableEnded) this.#readOn(); // and discards what that returns
    else this.#pass();
    this.#proceed();
  }

  /** To be called every `ms` milliseconds. They count as idle, unless more than empty lines waits here for its turn. */
  sweep(ms: number): void {
    const begin = this.#held.subarray(0, SHORT_BYTES);
    const isWaiting = this.#queue !== undefined && this.pieces.emptyLines(begin) < begin.length;
    this.count(ms, isWaiting && !this.writableEnded, this.#hasClientEnded);
  }

  get #mayPass(): boolean {
    return !this.writableEnded && !this.destroyed && !this.#isFull && !this.pieces.isComplete;
  }

  #arrived(bytes: Buffer): void {
    if (this.writableEnded) return this.#discard();
    if (this.#held.length > 0) { // something waits already
      this.#held = Buffer.concat([this.#held, bytes]);
      return this.#tap.stop();
    }
    this.#held = bytes;
    const isCheap = bytes.length <= SHORT_BYTES || this.pieces.isSized;
    if (isCheap && this.#mayPass && this.#turns.mayGoAhead()) this.#pass();
    if (this.#held.length > SHORT_BYTES) this.#tap.stop();
    this.#proceed();
  }

  // What continues waits for a turn: otherwise one client could go on and on.
  #proceed(): void {
    if (this.#queue !== undefined || !this.#mayPass) return;
    if (this.#held.length === 0) this.#held = this.#readOn();
    if (this.#held.length > 0) this.#wait(this.#held.length > SHORT_BYTES ? this.#queues.long : this.#queues.short);
    else if (this.#hasClientEnded) this.push(null); // not before: at the end, Node drops what it has not answered
  }

  #wait(queue: Queue): void {
    this.#queue = queue;
    this.#turns.wait(queue, this);
  }

  #readOn(): Buffer {
    if (this.#tap.isStopped && this.encrypted) this.#turns.endAfterOne(); // one read may bring thousands of records
    return this.#tap.readOn();
  }

  #pass(): void {
    this.#held = rest(this.#held, this.pieces.emptyLines(this.#held));
    if (this.#held.length === 0) return;
    const held = this.#held;
    const length = this.pieces.take(held);
    this.#held = rest(held, length);
    this.touch();
    // Inside `push`, Node reads the piece. At the end of a head it makes a FairResponse, which calls `pieces.begin`.
    this.push(length === held.length ? held : held.subarray(0, length));
    this.#isFull = this.readableLength > 0;
    this.pieces.endRequest(); // its content may end with this
  }

  // Stops reading. After a while, `takeTurn` reads on, and discards. If more arrives then, `arrived` calls this again.
  #discard(): void {
    this.#tap.stop();
    setTimeout(() => {
      if (!this.destroyed && this.#queue === undefined) this.#wait(this.#queues.long);
    }, DISCARD_MS).unref();
  }

  // Node, or whoever has taken a connection over from it, goes on reading.
  override read(size?: number): unknown {
    const taken: unknown = super.read(size);
    if (this.#isFull && this.readableLength === 0) process.nextTick(() => this.#taken()); // not before it has got it
    return taken;
  }

  #taken(): void {
    this.#isFull = this.readableLength > 0;
    this.pieces.endRequest(); // what was taken may have been the end of its content
    this.#proceed();
  }

  override _final(done: () => void): void {
    this.#held = NOTHING;
    if (this.#tap.isStopped) this.#discard();
    super._final(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#held = NOTHING;
    this.#queue?.waiting.delete(this);
    super._destroy(error, done);
  }
}

function rest(bytes: Buffer, from: number): Buffer {
  return from < bytes.length ? bytes.subarray(from) : NOTHING; // even an empty `subarray` keeps `bytes` in memory
}
