// One connection. It reads a request, has it answered, and reads the next one once the reply is flushed: once the kernel has taken its
// bytes. So no client can make others wait long, or fill the memory, by pipelining.
import type { Socket } from 'node:net';
import { answer, textOf } from '../http/answer.ts';
import { emptyReply, type LegalRequest, type Refusal } from '../http/messages.ts';
import { REFUSALS } from '../http/refusals.ts';
import { RequestReader } from '../http/request-reader.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import { finishedRequest, startRecord, type AccessRecord, type Context } from './interface.ts';
import { CurrentState, type State } from './states.ts';

const END_COST = 2 * 1024; // what it costs to refuse a request or to cut a connection

export class Connection {
  readonly client: string; // see `clientOf`
  readonly state = new CurrentState();
  readonly #address: string | undefined; // the client's IP address; undefined on a Unix socket
  readonly #queue: string; // where the end of the connection waits for a turn
  readonly #transport: Transport;
  readonly #context: Context;
  readonly #reader: RequestReader;
  #record: AccessRecord | undefined; // of the current request, from its head until its reply is flushed

  /** A connection on an accepted socket. `closed` is called when it has closed. */
  constructor(socket: Socket, client: string, open: OpenTransport, context: Context, closed: () => void) {
    this.client = client;
    this.#address = socket.remoteAddress;
    this.#queue = `${client} closing`;
    this.#context = context;
    this.#reader = new RequestReader(context.refuseHost);
    this.#transport = open(socket, client, context.turns, {
      accepts: () => this.state.row.consumes,
      consume: (bytes) => this.#consume(bytes),
      ended: () => this.#clientEnded(),
      ready: () => this.#enter('idle'),
    });
    this.#transport.socket.on('error', () => {}); // without a listener, an error would end the process; `close` follows
    this.#transport.socket.on('finish', () => this.#enter('lingering')).on('close', () => { this.#closed(); closed(); });
  }

  /** Whether it is idle: no request has begun to arrive, and no reply is owed. A TLS handshake is idle between its records. */
  get isIdle(): boolean { return this.state.row.isIdle && !this.#transport.isHolding(); }

  /** Whether it is idle, or its last reply is flushed. */
  get isExpendable(): boolean { return this.isIdle || this.state.name === 'lingering'; }

  /** Counts time, in milliseconds. A connection that has been in its state for too long is ended when its client gets a turn. */
  addTime(ms: number): void {
    const hasStalled = this.#transport.hasStalled(); // each call begins a new period
    const hasBegun = this.#reader.hasBegun || this.#transport.isHolding();
    if (this.state.name === 'idle' && hasBegun) this.#enter('head'); // something waits, or a TLS record has begun
    if (this.state.name === 'head' && !hasBegun) this.#enter('idle'); // it was an empty line, or an empty record
    if (this.state.row.consumes && hasStalled) return; // it has been waiting for its turn, not for its client
    this.state.addTime(ms);
    if (this.state.isOverdue(this.#context.limits)) this.#context.turns.enqueue(this.#queue, this.#endOverdue);
  }

  /** Closes the connection when its client gets a turn, if it is idle then. */
  closeIfIdle(): void { this.#context.turns.enqueue(this.#queue, this.#cutIfIdle); }

  /** Closes the connection. Returns whether it still owed the reply to a request. */
  cut(): boolean {
    const isOwed = this.#record !== undefined && !this.#transport.socket.destroyed;
    this.#context.turns.spend(END_COST);
    this.#enter('closed');
    this.#transport.cut();
    return isOwed;
  }

  #enter(state: State): void {
    if (this.state.enter(state)) return;
    const { name } = this.state; // a fault of ours ends this connection, and not the process
    this.#context.reports.failed(new Error(`A connection cannot go from ${name} to ${state}.`), '');
    this.cut();
  }

  readonly #endOverdue = (): void => {
    if (!this.state.isOverdue(this.#context.limits) || (this.state.name === 'idle' && !this.isIdle)) return; // something has happened since
    const { refused, ended } = this.state.row;
    if (refused !== undefined) return this.#refuse(this.#reader.refusal(refused));
    if (ended !== undefined) this.#context.reports.ended(ended);
    this.cut();
  };

  readonly #cutIfIdle = (): void => { if (this.isIdle) this.cut(); };

  // Returns how many bytes belong to the current request. What follows is consumed once its reply is flushed.
  #consume(bytes: Buffer): number {
    const result = this.#reader.read(bytes);
    const { end, request, hasBegun } = this.#reader;
    if (result !== undefined && 'reason' in result) this.#refuse(result);
    else if (result !== undefined) this.#reply(result);
    else {
      if (this.state.name === 'idle' && hasBegun) this.#enter('head');
      if (this.state.name === 'head' && request !== undefined) this.#enter('content');
      if (request !== undefined) this.#record ??= startRecord(request);
    }
    return end;
  }

  #clientEnded(): void {
    if (this.#reader.hasBegun) return this.#refuse(this.#reader.refusal('cutShort'));
    this.#startEnding();
    this.#transport.socket.end();
  }

  #reply(request: LegalRequest): void {
    const { handler, reports, isDraining } = this.#context;
    const record = (this.#record ??= startRecord(request));
    this.#enter('replying');
    const isLast = request.isLast || isDraining();
    if (isLast) this.#startEnding(); // before the reply is written: flushing it must not make the connection idle
    const reply = answer(request, handler, reports.failed);
    record.status = reply.status;
    this.#transport.write(textOf(reply, request.method, isLast), this.#replyFlushed);
    if (isLast) this.#transport.socket.end();
  }

  #refuse({ reason, request }: Refusal): void {
    const { status } = REFUSALS[reason];
    this.#context.turns.spend(END_COST);
    this.#context.reports.refused(reason);
    this.#record = { ...this.#record ?? startRecord(request), status, reason };
    this.#startEnding();
    this.#transport.write(textOf(emptyReply(status), '', true), this.#replyFlushed);
    this.#transport.socket.end();
  }

  readonly #replyFlushed = (): void => {
    this.#endRecord(false);
    if (this.state.name !== 'replying') return; // it was the last reply: `finished` follows
    this.#enter('idle');
    this.#transport.proceed();
  };

  #startEnding(): void {
    this.#enter('ending');
    this.#transport.discard(this.#context.discardTurns);
  }

  #closed(): void {
    const isUnanswered = this.#record !== undefined || this.state.name === 'head';
    const reason = this.#transport.hasFailed() ? 'tlsFailed' : isUnanswered ? 'resetBeforeReply' : undefined;
    if (this.state.name !== 'closed' && reason !== undefined) this.#context.reports.ended(reason);
    this.#enter('closed');
    this.#endRecord(true);
    for (const task of [this.#endOverdue, this.#cutIfIdle]) this.#context.turns.cancel(this.#queue, task);
  }

  #endRecord(aborted: boolean): void {
    if (this.#record !== undefined) this.#context.reports.finished?.(finishedRequest(this.#record, this.#address, aborted));
    this.#record = undefined;
  }
}
