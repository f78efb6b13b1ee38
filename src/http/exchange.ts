// One request and its reply: is it legal, who answers, what do they say, and out.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { observe, refusedRecord, type Observer } from './access.ts';
import { connectionOf, refuse } from './connection.ts';
import { IncomingRequest } from './incoming-request.ts';
import { unexpectedProblem } from './problem.ts';
import { emptyReply, type Reply } from './reply.ts';
import { MAX_CONTENT_BYTES } from './request-head.ts';
import { hostName } from './request-target.ts';

/** Answers a legal request. */
export type Answer = (request: IncomingRequest) => Reply;

export type ExchangeOptions = {
  /** The host names and IP addresses that are answered to; undefined: all. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Whether every reply is now the last one on its connection. */
  readonly isDraining: () => boolean;
  /** Told of everything that is thrown on the way to a reply, whatever its type. */
  readonly reportError: (error: unknown, traceId: string) => void;
  /** Told the status of each request that is refused before anyone is asked to answer it. */
  readonly reportRefusal: (status: number) => void;
  /** Told of each request when it is over; undefined when nobody wants to know. */
  readonly observer: Observer | undefined;
};

export type Exchange = {
  /** For node's `request` event, and for the events that it emits instead of that. */
  readonly onRequest: (message: IncomingMessage, response: ServerResponse) => void;
  /** For node's `connect` event: here is no proxy, so there is nothing to connect to. */
  readonly onConnect: (message: IncomingMessage, socket: Duplex) => void;
};

/** The listeners that answer requests by `answer`, and refuse those that nobody should have to answer. */
export function createExchange(answer: Answer, options: ExchangeOptions): Exchange {
  const { isDraining, reportError, reportRefusal, observer } = options;
  const allowedHosts = options.allowedHosts && new Set(options.allowedHosts.map(toHostName));

  function onRequest(message: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(message.socket);
    if (connection.isClosing) return;
    connection.previous = connection.newest;
    connection.newest = response;

    const request = new IncomingRequest(message);
    const refusal = refusalOf(request);
    if (refusal !== 0) {
      observer?.(refusedRecord(request, refusal));
      reject(message, response, refusal);
      return;
    }
    if (observer !== undefined) observe(request, response, observer);
    if (request.hasContent) whenWhole(message, () => respond(request, response), () => reject(message, response, 413));
    else respond(request, response);
  }

  function onConnect(message: IncomingMessage, socket: Duplex): void {
    const request = new IncomingRequest(message);
    const refusal = refusalOf(request);
    const status = refusal === 0 ? 404 : refusal;
    if (refusal !== 0) reportRefusal(refusal);
    observer?.(refusedRecord(request, status));
    refuse(socket, emptyReply(status), connectionOf(socket).newest);
  }

  function refusalOf({ refusal, host = '' }: IncomingRequest): number {
    if (refusal !== 0 || allowedHosts === undefined || allowedHosts.has(hostName(host))) return refusal;
    return 421; // RFC 9110 15.5.20, against DNS rebinding: no web page reaches us by a name of its own
  }

  function reject(message: IncomingMessage, response: ServerResponse, status: number): void {
    reportRefusal(status);
    response.statusCode = status; // for the observer: the refusal itself goes past this response
    message.resume(); // what else it sends is discarded
    refuse(message.socket, emptyReply(status), connectionOf(message.socket).previous);
  }

  // The boundary: whatever throws in here, the client gets a problem document and the log the rest.
  function respond(request: IncomingRequest, response: ServerResponse): void {
    try {
      send(response, answer(request), request.isLast || isDraining());
    } catch (error) {
      reportError(error, request.traceId);
      send(response, unexpectedProblem(request.path), request.isLast || isDraining());
    }
  }

  return { onRequest, onConnect };
}

function toHostName(host: string): string {
  return hostName(host.includes(':') ? `[${host}]` : host);
}

// The one place that writes replies.
function send(response: ServerResponse, reply: Reply, isLast: boolean): void {
  if (isLast) response.shouldKeepAlive = false;
  if (!response.shouldKeepAlive) connectionOf(response.req.socket).isClosing = true;
  response.writeHead(reply.status, reply.headers);
  response.end(reply.body, reply.encoding);
}

// Content is read to its end and discarded before the answer: its end may turn out to be malformed,
// and then what follows it can't be told from it (request smuggling).
function whenWhole(message: IncomingMessage, done: () => void, tooLarge: () => void): void {
  let bytes = 0;
  message.on('end', done);
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_CONTENT_BYTES) return;
    message.removeAllListeners();
    tooLarge();
  });
}
