// A request and its reply: how it is answered, or refused.
import type { ServerResponse } from 'node:http';
import { Handling } from './handling.ts';
import { originOf } from '../http/forwarded.ts';
import { DISCARDED_BYTES, REFUSALS } from '../http/refusals.ts';
import { emptyReply, headersOf, STATUS_CODES, type Reply } from '../http/reply.ts';
import { accessRecord, type Reports } from '../http/reports.ts';
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
  readonly #isHttps: boolean; // for its client, as a trusted proxy says
  #isLast = false; // its connection ends with its reply
  #reason: string | undefined; // as in its record
  #isCut = false; // by this service, which reports that elsewhere
  handling: Handling | undefined; // since all content that it needs has come

  /** A head has arrived, which amounts to `request`. */
  constructor(response: ServerResponse, request: HttpRequest, options: ExchangeOptions) {
    this.#response = response;
    this.#request = request;
    this.#options = options;
    const { address, isHttps } = originOf(response.req.socket.remoteAddress, request.headers, options.isTrustedProxy);
    request.remoteAddress = address;
    this.#isHttps = isHttps;
  }

  /** Answers it. `isAwaited`: before it sends content, its client waits for a 100 (RFC 9110 10.1.1). */
  start(isAwaited: boolean): void {
    const route = this.#options.router(this.#request.method, this.#request.path, this.#isHttps);
    const { maxContentBytes = DISCARDED_BYTES } = route;
    const { 'content-length': length = 0, 'transfer-encoding': coding } = this.#request.headers;
    const hasContent = coding !== undefined || Number(length) > 0;
    if (Number(length) > maxContentBytes) return this.refuse('contentTooLong', REFUSALS.contentTooLong);
    const needsContent = hasContent && !(isAwaited && route.maxContentBytes === undefined);
    this.#isLast = isAwaited && !needsContent; // because nobody knows whether its client will send content
    if (needsContent && isAwaited) this.#response.writeContinue();
    if (hasContent) this.#readContent(route, maxContentBytes);
    if (!needsContent) this.#handle(route);
  }

  // Reads all of it before the reply: if it is malformed, nobody knows where the next request begins (smuggling).
  #readContent(route: Route, maxBytes: number): void {
    let { content } = this.#request; // empty
    let length = 0;
    this.#response.req.on('data', (part: Buffer) => {
      const at = length;
      length += part.length;
      if (length > maxBytes) this.refuse('contentTooLong', REFUSALS.contentTooLong);
      else if (route.maxContentBytes !== undefined) content = put(part, content, at, maxBytes);
    });
    this.#response.req.on('end', () => {
      this.#request.content = content.subarray(0, length);
      if (this.handling === undefined && !this.#response.headersSent) this.#handle(route);
    });
  }

  // Only now: otherwise, whoever sends content slowly would hold a seat.
  #handle(route: Route): void {
    this.handling = new Handling(this.#request, route, this);
    this.handling.start(this.#options.clientOf);
  }

  /** For its handling: reports this error. */
  failed(error: unknown): void {
    const { reports } = this.#options;
    const { signal, traceparent: traceId, method, path } = this.#request;
    if (!signal.aborted) return reports.requestFailed(error, { traceId, method, path });
    this.#reason ??= 'handlerAborted';
    reports.endedEarly('handlerAborted'); // only counted: otherwise, those who leave could fill the log
  }

  /** For its handling: sends this reply, unless the request has been refused meanwhile. Throws if it is no reply. */
  write(reply: Reply): void {
    if (this.#response.headersSent) return;
    const headers = headersOf(reply, this.#isLast || this.#options.isDraining());
    // After a `writeHead` that has thrown, Node would send the status text and perhaps headers of that one.
    for (const name of this.#response.getHeaderNames()) this.#response.removeHeader(name);
    this.#response.writeHead(reply.status, STATUS_CODES[reply.status], headers);
    const { body, body: { length } } = reply;
    this.#response.end(body, () => {
      // If its memory has gone to another thread, less was sent than promised: the next reply would pass for the rest.
      if (body.length < length) this.#response.req.socket.destroy();
    });
  }

  /** Refuses the request, unless it has been answered: no request gets two replies. Its handler may go on. */
  refuse(reason: string, status: number, why: keyof typeof ABORTS = 'refused'): void {
    if (this.#response.headersSent || this.#response.req.socket.destroyed) return;
    if (status === 408 && this.#isLast) return; // nobody waits for its content
    this.#reason = reason;
    this.#options.reports.endedEarly(reason);
    this.#isLast = true;
    this.write(emptyReply(status));
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
    const isAborted = this.#response.req.socket.destroyed; // before the kernel had taken the whole reply
    this.abort('closed');
    if (isAborted && !this.#isCut) reports.endedEarly('replyNotTaken');
    const status = this.#response.headersSent ? this.#response.statusCode : undefined;
    const result = { status, reason: this.#reason, aborted: isAborted || undefined };
    reports.requestOver(status);
    reports.finished?.(accessRecord(this.#request, this.#startedAt, result));
  }
}

/** Puts `part` into `content` at `at`, where it ends within `maxBytes`. Returns `content`, or a longer copy of it. */
export function put(part: Buffer, content: Buffer, at: number, maxBytes: number): Buffer {
  const end = at + part.length;
  // To keep the parts would take 200 times as much memory if a client sends each byte in a chunk of its own.
  const target = end <= content.length ? content : Buffer.concat([content], Math.min(2 * end, maxBytes));
  part.copy(target, at);
  return target;
}
