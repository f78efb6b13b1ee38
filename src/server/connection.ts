// One connection. It reads a request, has it answered, and reads the next one when the reply has left: when the kernel has taken its
// bytes. So no client makes others wait, or fills the memory, by sending ahead.
import type { Socket } from 'node:net';
import { Refusal, type LegalRequest } from '../http/request.ts';
import { RequestReader } from '../http/request-reader.ts';
import { limitOf, type Limits, type State } from './limits.ts';
import { openRecord, reportSafely, type AccessRecord } from './reports.ts';
import { ResponseStream } from './response-stream.ts';
import { answer, refusalText, write, type Service } from './send.ts';
import { countRead, hold, leave, mayReadNow, waitForTurn } from './turns.ts';

export class Connection {
  readonly clientAddress: string | undefined; // the client's IP address; undefined on a Unix socket
  readonly stream: ResponseStream; // what node's server has in place of the socket
  onEnter: ((state: State) => void) | undefined; // called when it has entered a state
  readonly #socket: Socket;
  readonly #service: Service;
  readonly #reader: RequestReader;
  #state: State = 'idle';
  #stateMs = 0; // how long it has been in its state, as counted by `addTime`
  #isReady: boolean; // there is no TLS handshake, or it is over
  #record: AccessRecord | undefined; // of the present request, from its head until its reply has left

  /** `socket` is a TLSSocket, or a TCP or Unix socket. */
  constructor(socket: Socket, clientAddress: string | undefined, service: Service) {
    this.clientAddress = clientAddress;
    this.stream = new ResponseStream(socket, () => this.#replyLeft());
    this.#socket = socket;
    this.#service = service;
    this.#reader = new RequestReader(service.isAllowed);
    this.#isReady = !('encrypted' in socket);
    socket.once('secure', () => { this.#isReady = true; this.#stateMs = 0; }); // it is idle from now on
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('end', () => this.#goOn());
    socket.on('finish', () => this.#linger());
    socket.on('error', () => {}); // without a listener it would end the process; `close` follows
    socket.once('close', () => this.#closed());
  }

  get state(): State { return this.#state; }

  /** Counts time, in milliseconds. Ends the connection when it has been in its state for too long. */
  addTime(ms: number, limits: Limits): void {
    this.#stateMs += ms;
    const limitMs = limitOf(this.#state, this.#isReady, this.#reader.request !== undefined, limits);
    if (this.#stateMs < limitMs + ms) return; // `ms` more: the first sweep may come right after the state began
    if (this.#state === 'receiving') this.#refuse(this.#reader.refusal(408)); // RFC 9110 15.5.9
    else this.cut();
  }

  /** Closes the connection at once. Returns whether the reply to a request had not left. */
  cut(): boolean {
    const isOwed = this.#record !== undefined && !this.#socket.destroyed;
    this.#enter('closed');
    this.#socket.destroy();
    return isOwed;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#stateMs = 0;
    this.onEnter?.(state);
  }

  #receive(bytes: Buffer): void {
    if (this.#socket.isPaused()) return; // `read` in `#takeTurn` emits these, too
    if (this.#state === 'replying' || !mayReadNow(bytes.length)) {
      hold(this.#socket, bytes);
      return this.#goOn();
    }
    this.#read(bytes);
    if (!this.#socket.isPaused()) this.#socket.read(0); // Faster: see `respond` in response-stream.ts
  }

  // Unless a reply has to leave first: reads what is held when its turn comes, or else what arrives, up to the end of the client's side.
  #goOn(): void {
    if (this.#state === 'replying') return;
    if (this.#socket.readableLength > 0) {
      if (this.#state === 'idle') this.#enter('waiting');
      waitForTurn(this.#takeTurn, this.#socket.readableLength);
    } else if (!this.#socket.readableEnded) this.#socket.resume();
    else if (this.#state === 'receiving') this.#refuse(this.#reader.refusal(400));
    else if (this.#state === 'idle') {
      this.#startEnding();
      this.#socket.end();
    }
  }

  readonly #takeTurn = (): void => {
    if (this.#socket.destroyed) return; // `close` follows
    if (this.#state === 'waiting') this.#enter('idle');
    // All that is held, on Node 26 in chunks.
    while (this.#socket.readableLength > 0 && this.#state !== 'replying' && this.#state !== 'waiting') this.#read(this.#socket.read());
    this.#goOn();
  };

  #read(bytes: Buffer): void {
    countRead(bytes.length);
    if (this.#state === 'ending' || this.#state === 'lingering') return;
    const result = this.#reader.read(bytes);
    if (result instanceof Refusal) return this.#refuse(result);
    if (result !== undefined) return this.#reply(result, bytes);
    if (this.#state === 'idle' && this.#reader.hasBegun) this.#enter('receiving');
    if (this.#reader.request !== undefined) this.#recordOf(this.#reader.request);
  }

  #reply(request: LegalRequest, bytes: Buffer): void {
    if (this.#reader.end < bytes.length) hold(this.#socket, bytes.subarray(this.#reader.end)); // what is behind the request
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

  #linger(): void { this.#enter('lingering'); }

  #closed(): void {
    leave(this.#takeTurn);
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
