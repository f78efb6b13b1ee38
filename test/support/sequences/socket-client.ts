// A client on a real socket: what it has sent, and what it has got.
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { repliesIn, type Reply } from '../replies.ts';
import type { Line } from './line.ts';
import { isClosing } from './part.ts';
import { inPieces, isWhole, Sending } from './sending.ts';
import type { ClientStep } from './steps.ts';

export class SocketClient {
  readonly sending = new Sending();
  /** The whole replies that have arrived, and what has arrived behind them. */
  readonly replies: Reply[] = [];
  rest: Buffer = Buffer.alloc(0);
  /** It has never stopped reading. */
  hasRead = true;
  /** It has closed or reset the connection. */
  hasLeft = false;
  hasEnded = false;
  /** The service has ended its side. */
  isEnded = false;
  /** What went wrong before that. */
  error: unknown;
  readonly #line: Line;
  readonly #closed: Promise<void>;
  #changed = () => {};

  constructor(line: Line) {
    this.#line = line;
    const { socket } = line;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.once('end', () => { this.isEnded = true; this.#changed(); });
    socket.on('error', (error) => { if (!this.isEnded) this.error ??= error; });
    this.#closed = new Promise((resolve) => socket.once('close', () => { resolve(); this.#changed(); }));
  }

  /** Resolves when it is connected, or cannot be. */
  async connected(): Promise<void> {
    const { socket } = this.#line;
    await Promise.race([once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect').catch(() => {}), this.#closed]);
  }

  async perform(step: ClientStep): Promise<void> {
    const { socket, end, close, reset } = this.#line;
    if (socket.destroyed || this.hasLeft) return;
    switch (step.kind) {
      case 'send': return this.#send(() => this.sending.next(step.parts, step.held), step.pieces);
      case 'more': return this.#send(() => this.sending.more(step.bytes), step.pieces);
      case 'wait': return this.#wait();
      case 'read':
        socket.resume();
        return;
      case 'stop reading':
        this.hasRead = false;
        socket.pause();
        return;
      case 'read some':
        if (!socket.isPaused()) return;
        socket.resume();
        await turn();
        socket.pause();
        return;
      case 'end':
        if (!this.hasEnded) end();
        this.hasEnded = true;
        return;
      case 'close':
      case 'reset':
        this.hasLeft = true;
        if (step.kind === 'reset') reset();
        else close();
    }
  }

  /** Reads to the end, and ends the client's side. */
  async finish(): Promise<void> {
    const { socket } = this.#line;
    await this.perform({ kind: 'end' });
    socket.resume();
    await Promise.race([this.#closed, this.isEnded || once(socket, 'end').catch(() => {})]);
    socket.end();
    await this.#closed;
  }

  // Each piece in a turn of the event loop, and over TLS in a record of its own.
  async #send(next: () => string, size: number): Promise<void> {
    if (this.hasEnded) return;
    const [first = '', ...others] = inPieces(next(), size);
    if (first !== '') this.#line.socket.write(first, 'latin1');
    for (const piece of others) {
      await turn();
      if (this.#line.socket.destroyed) return;
      this.#line.socket.write(piece, 'latin1');
    }
  }

  async #wait(): Promise<void> {
    const { socket } = this.#line;
    const { parts } = this.sending;
    if (parts.some(({ part }) => part.reply === undefined)) return; // nobody can tell how many there will be
    const owed = parts.filter(isWhole).length;
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
