// A request and its reply: how it is answered, or refused.
import type { ServerResponse } from 'node:http';
import { put } from './content.ts';
import { Handling } from './handling.ts';
import { originOf } from '../http/forwarded.ts';
import { DISCARDED_BYTES, REFUSALS, type Reason } from '../http/refusals.ts';
import { emptyReply, headersOf, STATUS_CODES, unexpectedProblem, type Reply } from '../http/reply.ts';
import { accessRecord, attempt, namesOf, type Reports } from '../http/reports.ts';
import type { ABORTS, HttpRequest } from '../http/request.ts';
import type { Route, Router } from '../http/router.ts';

export type ExchangeOptions = {
  readonly router: Router;
  readonly isTrustedProxy?: ((address: string | undefined) => boolean) | undefined; // undefined: on a Unix socket
  readonly isDraining: () => boolean; // while it is true, each reply is the last on its connection
  readonly reports: Reports;
  readonly clientOf: (remoteAddress: string | undefined) => string; // clients take turns for seats
};

export class Exchange {
  readonly #response: ServerResponse;
  readonly #request: HttpRequest;
  readonly #options: ExchangeOptions;
  readonly #startedAt = performance.now(); // for the access log
  #isLast = false; // its connection ends with its reply
  #reason: string | undefined; // as in its record
  #isCut = false; // by this service, which reports that elsewhere
  handling: Handling | undefined; // since all content that it needs has come

  /** A head has arrived, which amounts to `request`. This completes it. */
  constructor(response: ServerResponse, request: HttpRequest, options: ExchangeOptions) {
    this.#response = response;
    this.#request = request;
    this.#options = options;
  }

  /** Answers it, if `check` finds no fault in its head. `isAwaited`: its client waits for a 100 (RFC 9110 10.1.1). */
  start(isAwaited: boolean, check: () => Reason | undefined): void {
    const { method, path, headers } = this.#request;
    try {
      const reason = check();
      // Of more lines Node may hide the last ones: those of a proxy, so what its client has written would be believed.
      const isTrustedProxy = reason === 'tooManyFieldLines' ? undefined : this.#options.isTrustedProxy;
      const { address, isHttps } = originOf(this.#response.req.socket.remoteAddress, headers, isTrustedProxy);
      this.#request.remoteAddress = address;
      if (reason !== undefined) this.refuse(reason, REFUSALS[reason]);
      else this.#receive(this.#options.router(method, path, isHttps), isAwaited);
    } catch (error) {
      this.#receive(throwing(error), isAwaited); // content comes before the 500, as always
    }
  }

  #receive(route: Route, isAwaited: boolean): void {
    const { maxContentBytes = DISCARDED_BYTES } = route;
    const { 'content-length': length = 0, 'transfer-encoding': coding } = this.#request.headers;
    if (Number(length) > maxContentBytes) return this.refuse('contentTooLong', REFUSALS.contentTooLong);
    const hasContent = coding !== undefined || Number(length) > 0;
    if (hasContent) this.#readContent(route, maxContentBytes);
    if (hasContent && !isAwaited) return;
    if (hasContent && route.maxContentBytes !== undefined) return this.#response.writeContinue();
    this.#isLast = isAwaited; // nobody knows whether its client will send content
    this.#handle(route);
  }

  // Reads all of it before the reply: if it is malformed, nobody knows where the next request begins (smuggling).
  #readContent(route: Route, maxBytes: number): void {
    if (!Number.isInteger(maxBytes)) throw new RangeError(`maxContentBytes must be a whole number, not ${maxBytes}.`);
    let { content } = this.#request; // empty
    let length = 0;
    this.#response.req.on('data', (part: Buffer) => {
      length += part.length;
      if (length > maxBytes) this.refuse('contentTooLong', REFUSALS.contentTooLong);
      else if (route.maxContentBytes !== undefined) content = put(part, content, length - part.length, maxBytes);
    });
    this.#response.req.on('end', () => {
      this.#request.content = content.subarray(0, length);
      if (this.handling === undefined && !this.#response.headersSent) this.#handle(route);
    });
  }

  // Only now: otherwise, whoever sends content slowly would hold a seat.
  #handle(route: Route): void {
    try {
      if (route.params !== undefined) this.#request.params = route.params;
      this.handling = new Handling(this.#request, route, this);
      this.handling.start(this.#options.clientOf);
    } catch (error) { // what it has as `seats` is none, for example
      this.#handle(throwing(error));
    }
  }

  /** For its handling: reports this error. */
  failed(error: unknown): void {
    const { reports } = this.#options;
    attempt(() => {
      if (!this.#request.signal.aborted) return reports.requestFailed(error, namesOf(this.#request));
      this.#reason ??= 'handlerAborted';
      reports.endedEarly('handlerAborted'); // only counted: otherwise, those who leave could fill the log
    }, reports, this.#request);
  }

  /** For its handling: sends this reply, unless the request has been refused meanwhile. Throws if it is no reply. */
  write(reply: Reply): void {
    if (this.#response.headersSent) return;
    const headers = headersOf(reply, this.#isLast || this.#options.isDraining());
    const { status, body } = reply; // now: after `writeHead`, nothing may throw
    // After a `writeHead` that has thrown, Node would send the status text and perhaps headers of that one.
    for (const name of this.#response.getHeaderNames()) this.#response.removeHeader(name);
    this.#response.writeHead(status, STATUS_CODES[status], headers);
    const promised = body.length;
    this.#response.end(body, () => {
      // Its memory may have gone to another thread meanwhile. Then the next reply would pass for what was not sent.
      if (body.length < promised) this.#response.req.socket.destroy();
    });
  }

  /** Refuses the request, unless it has been answered: no request gets two replies. Its handler may go on. */
  refuse(reason: string, status: number, why: keyof typeof ABORTS = 'refused'): void {
    if (this.#response.headersSent || this.#response.req.socket.destroyed) return;
    if (status === 408 && this.#isLast) return; // nobody waits for its content
    this.#reason = reason;
    this.#isLast = true;
    const isReported = attempt(() => this.#options.reports.endedEarly(reason), this.#options.reports, this.#request);
    this.write(isReported ? emptyReply(status) : unexpectedProblem(this.#request.path));
    this.abort(why);
  }

  /** Aborts the request, unless its handler has ended. If that still waits for a seat, nobody gets a reply. */
  abort(why: keyof typeof ABORTS): void {
    this.#isCut ||= why === 'stopped' || why === 'dropped';
    const isUnanswered = this.handling?.state === 'waiting' && !this.#response.headersSent;
    this.handling?.abort(why);
    if (isUnanswered) this.#response.req.socket.destroy();
  }

  /** Reports it: its response has closed. */
  report(): void {
    const { reports } = this.#options;
    const aborted = this.#response.req.socket.destroyed || undefined; // before the kernel had taken the whole reply
    this.abort('closed');
    const status = this.#response.headersSent ? this.#response.statusCode : undefined;
    attempt(() => {
      if (aborted && !this.#isCut) reports.endedEarly('replyNotTaken');
      reports.requestOver(status);
      reports.finished?.(accessRecord(this.#request, this.#startedAt, { status, reason: this.#reason, aborted }));
    }, reports, this.#request);
  }
}

const throwing = (error: unknown): Route => ({ handler: () => { throw error; } });
