// A request and its reply: how it is answered, or refused.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { answer } from './http/answer.ts';
import { put } from './http/content.ts';
import { originOf } from './http/forwarded.ts';
import { DISCARDED_BYTES, HANDLER_MS } from './http/limits.ts';
import { STATUS_CODES } from './http/node-http.ts';
import { REFUSALS } from './http/refusals.ts';
import { emptyReply, headersOf, type Reply } from './http/reply.ts';
import type { ABORTS, HttpRequest } from './http/request.ts';
import type { Route, Router } from './http/router.ts';

/** What is reported, to whoever writes the log. */
export type Reports = {
  readonly failed: (error: unknown, request: FailedRequest) => void; // an error while a request was answered
  readonly refused: (reason: string) => void; // a request was refused, or failed: see `reason` below
  readonly ended: (reason: string) => void; // a connection has ended early
  /** There were too many connections, so one of this client, which had the most, was closed. */
  readonly dropped: (reason: string, client: string | undefined, connections: number) => void;
  readonly answered: (status: number | undefined) => void; // a request is over; undefined: there was no reply
  readonly finished: ((record: AccessRecord) => void) | undefined; // a request is over; undefined: no access log
};

/** A request whose handler has failed. */
export type FailedRequest = { readonly traceId: string; readonly method: string; readonly path: string };

/** A request that is over. It never has the query: names are personal data. */
export type AccessRecord = Partial<FailedRequest> & { // which is missing if Node's parser refused the head
  readonly durationMs?: number; // since the head had arrived; missing in the same case
  readonly status: number | undefined; // undefined: the connection ended before there was a reply
  // Why it was refused: a Reason, the code of an error of Node's, or `handlerTooSlow`. Or `handlerAborted`: the handler
  // has failed, but its request had been aborted before.
  readonly reason: string | undefined;
  readonly remoteAddress: string | undefined; // undefined: on a Unix socket
  readonly aborted: true | undefined; // the kernel has not taken the whole reply
};

export type ExchangeOptions = {
  readonly router: Router;
  readonly trustedProxies?: BlockList | undefined; // proxies on HTTP, whose X-Forwarded-For and -Proto are believed
  readonly isDraining: () => boolean; // while it is true, each reply is the last on its connection
  readonly reports: Reports;
  readonly clientOf: (remoteAddress: string | undefined) => string; // clients take turns for seats
};

export class Exchange {
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #request: HttpRequest;
  readonly #options: ExchangeOptions;
  readonly #startedAt: number;
  readonly #isHttps: boolean; // for its client, as a trusted proxy says
  #ignoresContent = false; // it is answered without waiting for its content
  #reason: string | undefined; // as in its record
  #leaveLine: (() => void) | undefined; // if it waits for a seat
  #leftMs = 0; // for its handler, with the wait for a seat
  #isCut = false; // by this service, which reports that elsewhere
  isHandled = false; // by a handler that has not ended
  handled: (() => void) | undefined; // is called when it has

  /** A head has arrived, which amounts to `request`. */
  constructor(incoming: IncomingMessage, response: ServerResponse, request: HttpRequest, options: ExchangeOptions) {
    this.#incoming = incoming;
    this.#response = response;
    this.#request = request;
    this.#options = options;
    this.#startedAt = options.reports.finished === undefined ? 0 : performance.now();
    const { address, isHttps } = originOf(incoming.socket.remoteAddress, request.headers, options.trustedProxies);
    request.remoteAddress = address;
    this.#isHttps = isHttps;
  }

  /** Answers it. `isAwaited`: before it sends content, its client waits for a 100 (RFC 9110 10.1.1). */
  start(isAwaited: boolean): void {
    const route = this.#options.router(this.#request.method, this.#request.path, this.#isHttps);
    const { 'content-length': length = 0, 'transfer-encoding': coding } = this.#request.headers;
    const hasContent = coding !== undefined || Number(length) > 0;
    if (Number(length) > maxContent(route)) return this.refuse('contentTooLong', REFUSALS.contentTooLong);
    this.#ignoresContent = hasContent && isAwaited && route.maxContentBytes === undefined;
    if (hasContent) this.#readContent(route, isAwaited);
    if (!hasContent || this.#ignoresContent) this.#reply(route, isAwaited); // the last: perhaps no content comes
  }

  // Reads all of it before the reply: if it is malformed, nobody knows where the next request begins (smuggling).
  #readContent(route: Route, isAwaited: boolean): void {
    const maxBytes = maxContent(route);
    let { content } = this.#request; // empty
    let length = 0;
    if (isAwaited && !this.#ignoresContent) this.#response.writeContinue();
    this.#incoming.on('data', (part: Buffer) => {
      const at = length;
      length += part.length;
      if (length > maxBytes) this.refuse('contentTooLong', REFUSALS.contentTooLong);
      else if (route.maxContentBytes !== undefined) content = put(part, content, at, maxBytes);
    });
    this.#incoming.on('end', () => {
      this.#request.content = content.subarray(0, length);
      if (!this.#ignoresContent && !this.#response.headersSent) this.#reply(route, false);
    });
  }

  // All content has come: otherwise, whoever sends it slowly would hold a seat.
  #reply({ handler, params, seats, timeLimitMs = HANDLER_MS }: Route, isLast: boolean): void {
    const { isDraining, reports, clientOf } = this.#options;
    const request = this.#request;
    if (params !== undefined) request.params = params;
    const failed = (error: unknown) => {
      const { isAborted, traceparent: traceId, method, path } = request;
      if (!isAborted) return reports.failed(error, { traceId, method, path });
      this.#reason ??= 'handlerAborted';
      reports.refused('handlerAborted'); // only counted: otherwise, those who leave could fill the log
    };
    const start = () => {
      this.#leaveLine = undefined;
      this.isHandled = true;
      answer(handler, request, (reply) => {
        // Later: otherwise, handlers that return at once would call each other, deeper and deeper.
        if (this.isHandled && seats !== undefined) setImmediate(seats.giveBack);
        this.isHandled = false; // if what it has returned is no reply, this is called again
        this.#write(reply, isLast || isDraining());
        this.handled?.();
      }, failed);
    };
    this.#leftMs = timeLimitMs;
    if (seats === undefined) start();
    else this.#leaveLine = seats.take(clientOf(request.remoteAddress), start);
  }

  /** To be called every `ms` milliseconds, which is how late the end of a time limit may be seen. */
  sweep(ms: number): void {
    if (!this.isHandled && this.#leaveLine === undefined) return;
    if (this.#leftMs <= 0) this.refuse('handlerTooSlow', 503, 'tooSlow'); // RFC 9110 15.6.4
    this.#leftMs -= ms;
  }

  /** Refuses the request, unless it has been answered: no request gets two replies. Its handler may go on. */
  refuse(reason: string, status: number, why: keyof typeof ABORTS = 'refused'): void {
    if (this.#response.headersSent) return;
    if (status === 408 && this.#ignoresContent) return; // nobody waits for that content
    this.#reason = reason;
    this.#options.reports.refused(reason);
    this.#write(emptyReply(status), true);
    this.abort(why);
  }

  #write(reply: Reply, isLast: boolean): void {
    if (this.#response.headersSent) return; // it was refused while a handler worked
    // With the status text: after a `writeHead` that has thrown, Node would send the text of that one.
    this.#response.writeHead(reply.status, STATUS_CODES[reply.status], headersOf(reply, isLast));
    const { body } = reply;
    const { length } = body;
    this.#response.end(body, typeof body === 'string' ? undefined : () => {
      // If its memory has gone to another thread, less was sent than promised: the next reply would pass for the rest.
      if (body.length < length) this.#incoming.socket.destroy();
    });
  }

  /** Aborts the request, unless its handler has ended. If it waits for a seat, it is not handled. */
  abort(why: keyof typeof ABORTS): void {
    this.#isCut ||= why === 'stopped' || why === 'dropped';
    if (this.isHandled) this.#request.abort(why);
    if (this.#leaveLine === undefined) return;
    this.#leaveLine();
    this.#leaveLine = undefined;
    if (!this.#response.headersSent) this.#incoming.socket.destroy();
  }

  /** Reports it: its response has closed. */
  report(): void {
    const { reports } = this.#options;
    const isAborted = this.#incoming.socket.destroyed; // before the kernel had taken the whole reply
    this.abort('closed');
    if (isAborted && !this.#isCut) reports.ended('replyNotTaken');
    const request = this.#request;
    const status = this.#response.headersSent ? this.#response.statusCode : undefined;
    reports.answered(status);
    reports.finished?.({
      method: request.method,
      path: request.path,
      traceId: request.traceparent,
      status,
      reason: this.#reason,
      durationMs: Math.round((performance.now() - this.#startedAt) * 1_000) / 1_000,
      remoteAddress: request.remoteAddress,
      aborted: isAborted || undefined,
    });
  }
}

const maxContent = ({ maxContentBytes = DISCARDED_BYTES }: Route) => maxContentBytes;
