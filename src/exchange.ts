// A request and its reply: how it is answered, or refused.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { answer } from './http/answer.ts';
import { put } from './http/content.ts';
import { originOf } from './http/forwarded.ts';
import { DISCARDED_BYTES } from './http/limits.ts';
import { STATUS_CODES } from './http/node-http.ts';
import { REFUSALS } from './http/refusals.ts';
import { emptyReply, headersOf, type Reply } from './http/reply.ts';
import type { ABORTS, HttpRequest } from './http/request.ts';
import type { Route, Router } from './http/router.ts';

/** What is reported, to whoever writes the log. */
export type Reports = {
  readonly failed: (error: unknown, traceId: string) => void; // an error while a request was answered
  readonly refused: (reason: string) => void; // a request was refused: a Reason, or the code of an error of Node's
  readonly ended: (reason: string) => void; // a connection has ended early
  /** There were too many connections, so one of this client, which had the most, was closed. */
  readonly dropped: (reason: string, client: string | undefined, connections: number) => void;
  readonly answered: (status: number | undefined) => void; // a request is over; undefined: there was no reply
  readonly finished: ((record: AccessRecord) => void) | undefined; // a request is over; undefined: no access log
};

/** A request that is over. It never has the query: names are personal data. */
export type AccessRecord = {
  readonly method?: string; // it, `path`, `traceId` and `durationMs` are missing if Node's parser refused the head
  readonly path?: string;
  readonly traceId?: string;
  readonly durationMs?: number; // since the head had arrived
  readonly status: number | undefined; // undefined: the connection ended before there was a reply
  readonly reason: string | undefined; // why it was refused
  readonly remoteAddress: string | undefined; // undefined: on a Unix socket
  readonly aborted: true | undefined; // the kernel has not taken the whole reply
};

export type ExchangeOptions = {
  readonly router: Router;
  readonly trustedProxies?: BlockList | undefined; // proxies on HTTP, whose X-Forwarded-For and -Proto are believed
  readonly isDraining: () => boolean; // while it is true, each reply is the last on its connection
  readonly reports: Reports;
};

export class Exchange {
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #request: HttpRequest;
  readonly #options: ExchangeOptions;
  readonly #startedAt: number;
  readonly #isHttps: boolean; // for its client, as a trusted proxy says
  #ignoresContent = false; // it is answered without waiting for its content
  #reason: string | undefined; // why it is refused: a Reason, or the code of an error of Node's
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
    if (hasContent && !this.#ignoresContent) return this.#readContent(route, isAwaited);
    this.#reply(route, isAwaited); // the last one: nobody knows whether content comes
  }

  // Reads all of it before the reply: if it is malformed, nobody knows where the next request begins (smuggling).
  #readContent(route: Route, isAwaited: boolean): void {
    const maxBytes = maxContent(route);
    let { content } = this.#request; // empty
    let length = 0;
    if (isAwaited) this.#response.writeContinue();
    this.#incoming.on('data', (part: Buffer) => {
      const at = length;
      length += part.length;
      if (length > maxBytes) this.refuse('contentTooLong', REFUSALS.contentTooLong);
      else if (route.maxContentBytes !== undefined) content = put(part, content, at, maxBytes);
    });
    this.#incoming.on('end', () => {
      this.#request.content = content.subarray(0, length);
      if (!this.#response.headersSent) this.#reply(route, false);
    });
  }

  #reply({ handler, params }: Route, isLast: boolean): void {
    const { isDraining, reports } = this.#options;
    const request = this.#request;
    if (params !== undefined) request.params = params;
    const failed = (error: unknown) => {
      if (!request.isAbortion(error)) reports.failed(error, request.traceparent);
    };
    this.isHandled = true;
    answer(handler, request, (reply) => {
      this.isHandled = false;
      this.#write(reply, isLast || isDraining());
      this.handled?.();
    }, failed);
  }

  /** Refuses the request, unless it has been answered: no request gets two replies. */
  refuse(reason: string, status: number): void {
    if (this.#response.headersSent) return;
    if (status === 408 && this.#ignoresContent) return; // nobody waits for that content
    this.#reason = reason;
    this.#options.reports.refused(reason);
    this.#write(emptyReply(status), true);
  }

  #write(reply: Reply, isLast: boolean): void {
    if (this.#response.headersSent) return; // it was refused while a handler worked
    // With the status text: after a `writeHead` that has thrown, Node would send the text of that one.
    this.#response.writeHead(reply.status, STATUS_CODES[reply.status], headersOf(reply, isLast));
    this.#response.end(reply.body);
  }

  /** Aborts the request, unless it has been answered. */
  abort(why: keyof typeof ABORTS): void {
    if (!this.#response.headersSent) this.#request.abort(why);
  }

  /** Reports it: its response has closed. */
  report(): void {
    const { reports } = this.#options;
    const isAborted = this.#incoming.socket.destroyed; // before the kernel had taken the whole reply
    this.abort('closed');
    if (isAborted) reports.ended('replyNotTaken');
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
