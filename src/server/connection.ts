// One connection. It reads a request, has it answered, and reads the next one when the reply has left: when the kernel has taken its
// bytes. So no client makes others wait, or fills the memory, by sending ahead. A connection is in one of these states:
// - idle: no request has begun.
// - waiting: no request has begun, and bytes that have arrived wait for their turn.
// - receiving: a request is arriving.
// - replying: the request is whole, and its reply has not left.
// - ending: our side is being ended, behind the last reply if there is one. From here on, what the client sends is thrown away.
// - lingering: the last reply has left and our side is ended, but the client's is not.
// - closed: it is over.
import type { Socket } from 'node:net';
import { Refusal, type LegalRequest } from '../http/request.ts';
import { RequestReader } from '../http/request-reader.ts';
import type { Limits } from './limits.ts';
import { openRecord, reportSafely, type AccessRecord } from './reports.ts';
import { ResponseStream } from './response-stream.ts';
import { answer, refusalText, write, type Service } from './send.ts';
import { takeTurn } from './turns.ts';

type State = 'idle' | 'waiting' | 'receiving' | 'replying' | 'ending' | 'lingering' | 'closed';

// The kernel gives at most one smaller read in a turn of the event loop, which is read at once.
const LARGE_READ_BYTES = 16 * 1024;

export class Connection {
  /** The client's IP address; undefined on a Unix socket. */
  readonly clientAddress: string | undefined;
  /** Called when it has entered a state. */
  onEnter: (() => void) | undefined;
  /** What node's server has in place of the socket. */
  readonly stream: ResponseStream;
  readonly #socket: Socket;
  readonly #service: Service;
  readonly #reader: RequestReader;
  #state: State = 'idle';
  #stateMs = 0;
  #record: AccessRecord | undefined; // of the present request, from its head until its reply has left

  /** `socket` is a TLSSocket, or a TCP or Unix socket. */
  constructor(socket: Socket, clientAddress: string | undefined, service: Service) {
    this.clientAddress = clientAddress;
    this.stream = new ResponseStream(socket, () => this.#replyLeft());
    this.#socket = socket;
    this.#service = service;
    this.#reader = new RequestReader(service.isAllowed);
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('end', () => this.#goOn());
    socket.on('finish', () => this.#linger());
    socket.on('error', () => {}); // without a listener it would end the process; `close` follows
    socket.once('close', () => this.#closed());
  }

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** Whether nobody waits for it: it is idle, or its last reply has left. */
  get isDone(): boolean {
    return this.#state === 'idle' || this.#state === 'lingering';
  }

  /** Whether the client has sent no data. */
  get isNew(): boolean {
    return this.#socket.bytesRead === 0;
  }

  /** How long it has been in its state, in milliseconds, as counted by `addTime`. */
  get stateMs(): number {
    return this.#stateMs;
  }

  /** Counts time, in milliseconds. Ends the connection when it has been in its state for too long. */
  addTime(ms: number, { idleMs, headMs, requestMs, unreadMs, lingerMs }: Limits): void {
    this.#stateMs += ms;
    const limitMs = {
      idle: idleMs,
      waiting: Infinity,
      receiving: this.#reader.request === undefined ? headMs : requestMs,
      replying: unreadMs,
      ending: unreadMs,
      lingering: lingerMs,
      closed: Infinity,
    }[this.#state];
    if (this.#stateMs < limitMs + ms) return; // `ms` more: the first sweep may come right after the state began
    if (this.#state === 'receiving') this.#refuse(this.#reader.refusal(408)); // RFC 9110 15.5.9
    else this.#close();
  }

  /** Closes the connection at once. Returns whether the reply to a request had not left. */
  cut(): boolean {
    const isOwed = this.#record !== undefined && !this.#socket.destroyed;
    this.#close();
    return isOwed;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#stateMs = 0;
    this.onEnter?.();
  }

  #receive(bytes: Buffer): void {
    if (this.#socket.isPaused()) return; // `#takeTurn` has these from `read`
    if (this.#state === 'replying' || bytes.length >= LARGE_READ_BYTES) {
      this.#hold(bytes);
      this.#goOn();
      return;
    }
    this.#read(bytes);
    if (!this.#socket.isPaused()) this.#socket.read(0); // Faster: see `respond` in response-stream.ts
  }

  // Puts back what is to be read later, and pauses the socket. Node then reads no more, because its high water mark is 0.
  #hold(bytes: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(bytes);
  }

  // Unless a reply has to leave first: reads what is held when its turn comes, otherwise what arrives, as long as more can arrive.
  #goOn(): void {
    if (this.#state === 'replying') return;
    if (this.#socket.readableLength > 0) {
      if (this.#state === 'idle') this.#enter('waiting');
      takeTurn(this.#takeTurn);
    } else if (!this.#socket.readableEnded) this.#socket.resume();
    else if (this.#state === 'receiving') this.#refuse(this.#reader.refusal(400));
    else if (this.#state === 'idle') this.#endSide();
  }

  readonly #takeTurn = (): void => {
    if (this.#socket.destroyed) return;
    if (this.#state === 'waiting') this.#enter('idle');
    this.#read(this.#socket.read());
    this.#goOn();
  };

  #read(bytes: Buffer): void {
    if (this.#state === 'ending' || this.#state === 'lingering') return;
    const result = this.#reader.read(bytes);
    if (result instanceof Refusal) this.#refuse(result);
    else if (result !== undefined) {
      if (this.#reader.end < bytes.length) this.#hold(bytes.subarray(this.#reader.end));
      this.#reply(result);
    } else this.#awaitMore();
  }

  #awaitMore(): void {
    const { hasBegun, request } = this.#reader;
    if (this.#state === 'idle' && hasBegun) this.#enter('receiving');
    if (request !== undefined) this.#recordOf(request);
  }

  #reply(request: LegalRequest): void {
    const record = this.#recordOf(request);
    this.#enter('replying');
    this.stream.ask(request.method, (response) => {
      const isLast = request.isLast || this.#service.isDraining();
      if (isLast) this.#startEnding();
      answer(request, response, isLast, record, this.#service);
    });
  }

  #replyLeft(): void {
    this.#settle(false);
    if (this.#state !== 'replying') return;
    this.#enter('idle');
    this.#goOn();
  }

  #refuse(refusal: Refusal): void {
    reportSafely(this.#service.reports, ({ refused }) => refused(refusal.status), refusal.traceparent);
    this.#recordOf(refusal).status = refusal.status;
    this.#startEnding();
    write(this.#socket, refusalText(refusal.status), 'latin1', () => this.#settle(false));
    this.#socket.end();
  }

  #startEnding(): void {
    this.#enter('ending');
    this.#goOn();
  }

  #endSide(): void {
    this.#enter('ending');
    this.#socket.end();
  }

  #linger(): void {
    this.#enter('lingering');
  }

  #close(): void {
    this.#enter('closed');
    this.#socket.destroy();
  }

  #closed(): void {
    this.#enter('closed');
    this.#settle(true);
    this.stream.destroy();
  }

  #recordOf(request: LegalRequest | Refusal): AccessRecord {
    return (this.#record ??= openRecord(request, this.clientAddress, this.#service.reports));
  }

  #settle(aborted: boolean): void {
    this.#record?.close(aborted);
    this.#record = undefined;
  }
}
