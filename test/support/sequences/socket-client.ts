// A client on a real socket, with or without TLS: what it has sent, and what it has got.
import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setImmediate as iteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { repliesIn, type Reply } from '../replies.ts';
import { isClosing } from './invariants.ts';
import { inPieces, isWhole, Sending } from './part.ts';
import type { ClientStep } from './steps.ts';

/** Where a service listens: on a port, or on a Unix socket. */
export type Place = { readonly port: number } | { readonly path: string };

const HANG_MS = 30_000; // longer than any time limit of the service

export class SocketClient {
  readonly sending = new Sending();
  readonly replies: Reply[] = []; // the whole replies that have arrived
  rest: Buffer = Buffer.alloc(0); // and what has arrived after them
  hasRead = true; // it has never stopped reading
  hasLeft = false; // it has reset the connection
  hasEnded = false;
  isEnded = false; // the service has ended its side
  error: unknown; // what went wrong before that
  readonly #below: Socket;
  readonly #socket: Socket; // for the bytes of HTTP: over TLS it is the TLS socket
  readonly #closed: Promise<void>;
  #changed = () => {};

  /** Connects to `place`. The client's side stays open when the service has ended its own. */
  constructor(place: Place, isSecure: boolean) {
    const where: NetConnectOpts = 'path' in place ? place : { ...place, host: '127.0.0.1', noDelay: true };
    const below = this.#below = connect({ ...where, allowHalfOpen: true });
    const socket: Socket = this.#socket = isSecure ? connectTls({ socket: below, rejectUnauthorized: false }) : below;
    socket.setTimeout(HANG_MS, () => socket.destroy(new Error(`Nothing has happened for ${HANG_MS / 1000} s.`)));
    // Node 20 to 26 crash when both sockets are destroyed at once during a write, so they are destroyed in turn.
    if (isSecure) below.on('error', (error) => socket.destroy(error)).once('close', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.once('end', () => { this.isEnded = true; this.#changed(); });
    socket.on('error', (error) => { if (!this.isEnded) this.error ??= error; });
    this.#closed = new Promise((resolve) => socket.once('close', () => { resolve(); this.#changed(); }));
  }

  async perform(step: ClientStep): Promise<void> {
    const [socket, below] = [this.#socket, this.#below];
    if (socket.destroyed || this.hasLeft) return;
    switch (step.kind) {
      case 'send': return this.#send(() => this.sending.next(step.parts, step.held), step.pieces);
      case 'more': return this.#send(() => this.sending.more(step.bytes), step.pieces);
      case 'wait': return this.#wait();
      case 'read': return void socket.resume();
      case 'stop reading':
        this.hasRead = false;
        return void socket.pause();
      case 'end': return this.#end();
      case 'reset':
        this.hasLeft = true;
        // Node resets TCP only, and no connection whose own side has ended.
        if (socket.writableEnded || below.remotePort === undefined) below.destroy();
        else below.resetAndDestroy();
    }
  }

  /** Reads to the end, and ends the client's side. */
  async finish(): Promise<void> {
    const socket = this.#socket;
    await this.perform({ kind: 'end' });
    socket.resume();
    await Promise.race([this.#closed, this.isEnded || once(socket, 'end').catch(() => {})]);
    socket.end();
    await this.#closed;
  }

  #end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (this.#socket === this.#below) this.#socket.end();
    else { // node discards what has arrived over TLS and nobody has read when its side ends
      this.#socket.resume();
      setImmediate(() => this.#socket.end());
    }
  }

  // Each piece in an iteration of the event loop, and over TLS in a record of its own.
  async #send(next: () => string, size: number): Promise<void> {
    if (this.hasEnded) return;
    const [first = '', ...others] = inPieces(next(), size);
    if (first !== '') this.#socket.write(first, 'latin1');
    for (const piece of others) {
      await iteration();
      if (this.#socket.destroyed) return;
      this.#socket.write(piece, 'latin1');
    }
  }

  async #wait(): Promise<void> {
    const socket = this.#socket;
    const owed = this.sending.parts.filter(isWhole).length;
    const isOver = () => socket.destroyed || this.isEnded || this.replies.length >= owed || this.replies.some(isClosing);
    while (!socket.isPaused() && !isOver()) await new Promise<void>((resolve) => { this.#changed = resolve; });
  }

  #receive(chunk: Buffer): void {
    const { replies, rest, fault } = repliesIn(Buffer.concat([this.rest, chunk]));
    this.replies.push(...replies);
    this.rest = rest;
    this.error ??= fault;
    this.#changed();
  }
}
