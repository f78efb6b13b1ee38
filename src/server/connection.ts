// One connection. It reads a request, has it answered, and reads the next one once the reply is flushed: once the kernel has taken its
// bytes. So no client can make others wait long, or fill the memory, by pipelining.
import type { Socket } from 'node:net';
import { emptyReply } from '../http/reply.ts';
import { LegalRequest, type Known, type Refusal } from '../http/request.ts';
import { RequestReader } from '../http/request-reader.ts';
import { answer, type ServerContext } from './answer.ts';
import { createIntake, type Intake } from './intake.ts';
import { limitOf, timeoutReasonOf, type State } from './limits.ts';
import { reportFinished, reportSafely, type AccessRecord, type EndReason } from './reports.ts';
import type { Valve } from './tls.ts';
import { write } from './write.ts';

/** What a connection reads from and writes to: a TCP or Unix socket, or a TLSSocket with the valve below it. */
export type Transport = { readonly socket: Socket; readonly below: Below };
type Below = Pick<Valve, 'isReady' | 'isBroken'> & { readonly intake: Pick<Intake, 'isHolding' | 'hasStalled'> };

const END_COST = 2 * 1024; // what it costs to refuse a request or to cut a connection

let changes = 0; // how many changes of state there have been, on all connections together

export class Connection {
  readonly client: string; // see `clientOf`
  change = changes += 1; // the serial number of its latest change of state: the lower, the longer it has been in that state
  readonly #clientAddress: string | undefined; // an IP address; undefined on a Unix socket
  readonly #socket: Socket;
  readonly #below: Below;
  readonly #intake: Intake;
  readonly #context: ServerContext;
  readonly #reader: RequestReader;
  #state: State = 'idle';
  #stateMs = 0; // how long it has been in its state, as counted by `addTime`
  #accessRecord: AccessRecord | undefined; // of the current request, from its head until its reply is flushed

  constructor({ socket, below }: Transport, clientAddress: string | undefined, client: string, context: ServerContext) {
    this.client = client;
    this.#clientAddress = clientAddress;
    this.#socket = socket;
    this.#below = below;
    this.#context = context;
    this.#reader = new RequestReader(context.isAllowed);
    // Only a TLSSocket has `encrypted`. What it passes on has had its turn in the valve.
    this.#intake = createIntake(socket, client, context.turns, 'encrypted' in socket, {
      accepts: () => this.#isReading, consume: (bytes) => this.#consume(bytes), isHandshake: () => false, end: () => this.#clientEnded(),
    });
    socket.once('secure', () => { this.#stateMs = 0; }); // the TLS handshake is over: only now does its idle time begin
    socket.on('finish', () => this.#linger());
    socket.on('error', () => {}); // without a handler, an error would end the process; `close` follows
    socket.once('close', () => this.#closed());
  }

  /** Whether no request has begun, and nothing is held. */
  get isIdle(): boolean { return this.#state === 'idle' && !this.#intake.isHolding() && !this.#below.intake.isHolding(); }

  /** Whether it is idle, or its last reply is flushed. */
  get isExpendable(): boolean { return this.#state === 'lingering' || this.isIdle; }

  /** Whether it has received nothing; over TLS: nothing since the handshake. */
  get isSilent(): boolean { return this.#socket.bytesRead === 0; }

  /** Counts time, in milliseconds. A connection that has been in its state for too long is ended when its client gets a turn. */
  addTime(ms: number): void {
    // Both are called, because each call starts a new period.
    const [hasStalled, hasStalledBelow] = [this.#intake.hasStalled(), this.#below.intake.hasStalled()];
    if (this.#isReading && (hasStalled || hasStalledBelow)) return; // it has been waiting for its turn, not for its client
    this.#stateMs += ms;
    if (this.#isOverdue) this.#context.turns.wait(this.client, this.#endOverdue);
  }

  /** Closes the connection when its client gets a turn, if it is idle then. */
  closeIdle(): void { this.#context.turns.wait(this.client, this.#cutIdle); }

  /** Closes the connection. Returns whether it still owed the reply to a request. */
  cut(): boolean {
    const isOwed = this.#accessRecord !== undefined && !this.#socket.destroyed;
    const { writable, writableLength } = this.#socket;
    this.#context.turns.spend(END_COST);
    this.#enter('closed');
    // RFC 8446 6.1: TLS ends with close_notify. It gets one iteration to be sent, so a client that does not read gains nothing.
    if ('encrypted' in this.#socket && this.#below.isReady && writable && writableLength === 0) {
      this.#socket.end();
      setImmediate(() => this.#socket.destroy());
    } else this.#socket.destroy();
    return isOwed;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#stateMs = 0;
    this.change = changes += 1;
  }

  get #isReading(): boolean { return this.#state === 'idle' || this.#state === 'receiving'; }

  // Allows one more sweep, because the first may come right after the state began.
  get #isOverdue(): boolean {
    const { limits } = this.#context;
    return this.#stateMs >= limitOf(this.#state, this.#below.isReady, this.#reader.request !== undefined, limits) + limits.sweepMs;
  }

  readonly #endOverdue = (): void => {
    if (!this.#isOverdue) return; // something has happened meanwhile
    if (this.#state === 'receiving') return this.#refuse(this.#reader.refusal(408)); // RFC 9110 15.5.9
    this.#reportEnd(timeoutReasonOf(this.#state, this.#below.isReady));
    this.cut();
  };

  readonly #cutIdle = (): void => { if (this.isIdle) this.cut(); };

  // Returns how many bytes belong to the current request: all, when it is refused. What follows is consumed once its reply is flushed.
  #consume(bytes: Buffer): number {
    const result = this.#reader.read(bytes);
    const { end, request } = this.#reader;
    if (result instanceof LegalRequest) this.#reply(result);
    else if (result !== undefined) {
      this.#refuse(result);
      return bytes.length;
    } else {
      if (this.#state === 'idle' && this.#reader.hasBegun) this.#enter('receiving');
      if (request !== undefined) this.#accessRecordOf(request);
    }
    return end;
  }

  #clientEnded(): void {
    if (this.#state === 'receiving') this.#refuse(this.#reader.refusal(400));
    else {
      this.#startEnding();
      this.#socket.end();
    }
  }

  #reply(request: LegalRequest): void {
    const record = this.#accessRecordOf(request);
    this.#enter('replying');
    const isLast = request.isLast || this.#context.isDraining();
    if (isLast) this.#startEnding(); // before the reply is written: flushing it must not make the connection idle. `linger` follows.
    const { status, text } = answer(request, isLast, this.#context);
    record.status = status;
    write(this.#socket, text, this.#replyFlushed);
    if (isLast) this.#socket.end();
  }

  readonly #replyFlushed = (): void => {
    this.#closeAccessRecord(false);
    if (this.#state !== 'replying') return;
    this.#enter('idle');
    this.#intake.proceed();
  };

  #refuse({ status, request }: Refusal): void {
    this.#context.turns.spend(END_COST);
    reportSafely(this.#context.reports, ({ refused }) => refused(status), request.traceparent);
    this.#accessRecordOf(request).status = status;
    this.#startEnding();
    write(this.#socket, this.#context.responder.headOf(emptyReply(status), true), () => this.#closeAccessRecord(false));
    this.#socket.end();
  }

  #startEnding(): void {
    this.#enter('ending');
    this.#intake.discard(this.#context.discardTurns);
  }

  #linger(): void { if (this.#state !== 'closed') this.#enter('lingering'); }

  #closed(): void {
    const isUnanswered = this.#state === 'receiving' || this.#accessRecord !== undefined;
    if (this.#state !== 'closed') this.#reportEnd(this.#below.isBroken ? 'tlsFailed' : isUnanswered ? 'resetBeforeReply' : undefined);
    this.#enter('closed');
    this.#closeAccessRecord(true);
    for (const task of [this.#endOverdue, this.#cutIdle]) this.#context.turns.cancel(this.client, task);
  }

  #reportEnd(reason: EndReason | undefined): void {
    if (reason !== undefined) reportSafely(this.#context.reports, ({ ended }) => ended(reason));
  }

  #accessRecordOf(request: Known): AccessRecord {
    return (this.#accessRecord ??= { request, startedAt: performance.now(), status: undefined });
  }

  #closeAccessRecord(aborted: boolean): void {
    if (this.#accessRecord !== undefined) reportFinished(this.#accessRecord, this.#clientAddress, aborted, this.#context.reports);
    this.#accessRecord = undefined;
  }
}
