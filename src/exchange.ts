// A request and its reply: how it is answered, or refused.
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { answer } from './http/answer.ts';
import { put } from './http/content.ts';
import { checkHead, type HostRules } from './http/head.ts';
import { DISCARDED_BYTES } from './http/limits.ts';
import { REFUSALS, type Reason } from './http/refusals.ts';
import { emptyReply, headersOf, type Reply } from './http/reply.ts';
import { accessRecord, type AccessRecord, type Reports } from './http/reports.ts';
import type { HttpRequest } from './http/request.ts';
import type { Route, Router } from './http/router.ts';
import { plainAddress } from './turns/client.ts';
import { LINGER_MS } from './turns/socket-stream.ts';

export type ExchangeOptions = {
  readonly router: Router;
  readonly hostRules: HostRules;
  readonly isDraining: () => boolean; // while it is true, each reply is the last on its connection
  readonly reports: Reports;
  readonly isFair: boolean; // whether clients take turns
};

export class Exchange {
  readonly response: ServerResponse;
  isLast: boolean; // the service ends the connection with its reply
  takenAt: number | undefined; // when the kernel had taken its reply, if that ends only later
  isFollowed = false; // without turns: a later request of its connection is in progress, too
  isBeforeFault = false; // the next head is refused by Node's parser, as soon as this request is answered
  readonly #incoming: IncomingMessage;
  readonly #options: ExchangeOptions;
  readonly #startedAt = performance.now();
  readonly #request: HttpRequest;
  readonly #fault: Reason | undefined; // of its head
  readonly #hasContent: boolean;
  #ignoresContent = false; // it is answered without waiting for its content
  #reason: string | undefined; // why it is refused: a Reason, or the code of an error of Node's

  /** A head has arrived. */
  constructor(incoming: IncomingMessage, response: ServerResponse, options: ExchangeOptions) {
    const { request, reason } = checkHead(incoming, options.hostRules);
    this.#incoming = incoming;
    this.response = response;
    this.#options = options;
    this.#request = request;
    // Without turns, Node drops the bytes that came in one read with an Upgrade. What it takes for the next request may
    // be the rest of this one's content (request smuggling).
    this.isLast = !options.isFair && request.headers.upgrade !== undefined;
    this.#fault = reason;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    this.#hasContent = coding !== undefined || Number(length) > 0;
  }

  /** Answers or refuses it. `isAwaited`: before it sends content, its client waits for a 100 (RFC 9110 10.1.1). */
  start(isAwaited: boolean): void {
    if (this.#fault !== undefined) return this.refuse(this.#fault, REFUSALS[this.#fault]);
    const route = this.#options.router(this.#request.method, this.#request.path);
    this.#ignoresContent = this.#hasContent && isAwaited && route.maxContentBytes === undefined;
    if (Number(this.#request.headers['content-length']) > maxContent(route)) return this.#refuseContent();
    if (this.#hasContent && !this.#ignoresContent) return this.#readContent(route, isAwaited);
    this.isLast ||= isAwaited; // nobody knows whether content comes, and Node ends the connection
    this.#reply(route);
  }

  // Reads all of it before the reply: if it is malformed, nobody knows where the next request begins (smuggling).
  #readContent(route: Route, isAwaited: boolean): void {
    const maxBytes = maxContent(route);
    let content: Buffer = Buffer.alloc(0);
    let length = 0;
    if (isAwaited) this.response.writeContinue();
    this.#incoming.on('data', (part: Buffer) => {
      const at = length;
      length += part.length;
      if (length > maxBytes) this.#refuseContent();
      else if (route.maxContentBytes !== undefined) content = put(part, content, at, maxBytes);
    });
    this.#incoming.on('end', () => {
      this.#request.content = content.subarray(0, length);
      if (!this.response.headersSent) this.#reply(route);
    });
  }

  #reply({ handler }: Route): void {
    const { isDraining, reports } = this.#options;
    const request = this.#request;
    const failed = (error: unknown) => reports.failed(error, request.traceparent);
    answer(handler, request, (reply) => this.#write(reply, isDraining() && !this.isFollowed), failed);
  }

  #refuseContent(): void {
    this.refuse('contentTooLong', REFUSALS.contentTooLong);
  }

  /** Refuses the request, unless it has been answered: no request gets two replies. */
  refuse(reason: string, status: number): void {
    const isContentLate = status === 408 && this.#ignoresContent; // nobody waits for that content
    if (this.response.headersSent || isContentLate) return;
    this.#reason = reason;
    this.#options.reports.refused(reason);
    this.#write(emptyReply(status), true);
  }

  #write(reply: Reply, isLast: boolean): void {
    if (this.response.headersSent) return; // it was refused while a handler worked
    this.isLast ||= isLast;
    // With the status text: after a `writeHead` that has thrown, Node would send the text of that one.
    this.response.writeHead(reply.status, STATUS_CODES[reply.status], headersOf(reply, this.isLast));
    const isArriving = this.#hasContent && !this.hasArrived;
    if (isArriving && this.isLast) this.#writeLast(reply.body);
    else this.response.end(reply.body);
  }

  // At the end of the last reply, our side of the connection is closed. If content is still arriving, that may reset
  // the connection, or a proxy closes it: the client may lose the reply (RFC 9112 9.6). So the reply ends with the
  // content, or 1 s later.
  #writeLast(body: Reply['body']): void {
    const end = () => this.response.end();
    this.response.write(body, (error) => { if (!error) this.takenAt = performance.now(); });
    this.response.flushHeaders(); // for HEAD, 204 and 304, `write` sends nothing
    this.#incoming.resume().once('close', end);
    const timer = setTimeout(end, LINGER_MS);
    this.response.once('close', () => clearTimeout(timer));
  }

  /** Whether all of the request has arrived, so that what comes is not its content. */
  get hasArrived(): boolean {
    return this.#incoming.complete;
  }

  /** For the access log, when it is over. `isAborted`: the kernel has not taken the whole reply. */
  record(isAborted: boolean): AccessRecord {
    const { statusCode, headersSent } = this.response;
    return accessRecord({
      request: this.#request,
      status: headersSent ? statusCode : undefined,
      reason: this.#reason,
      startedAt: this.#startedAt,
      endedAt: this.takenAt,
      remoteAddress: plainAddress(this.#incoming.socket.remoteAddress),
      isAborted,
    });
  }
}

const maxContent = ({ maxContentBytes = DISCARDED_BYTES }: Route) => maxContentBytes;
