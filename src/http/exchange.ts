// One request and its reply: is it legal, who answers, what do they say, and out.
import type { Duplex } from 'node:stream';
import type { Observer } from './access.ts';
import { connectionOf, knownConnection, latestUnsent, refuse } from './connection.ts';
import type { ByteResponse, IncomingRequest } from './node-http.ts';
import { emptyReply, unexpectedProblem, type Reply } from './reply.ts';
import { MAX_CONTENT_BYTES } from './request-head.ts';

/** Answers a legal request. */
export type Answer = (request: IncomingRequest) => Reply;

export type ExchangeOptions = {
  /** Whether a host is answered to; undefined: all are. */
  readonly isAllowed: ((host: string | undefined) => boolean) | undefined;
  /** Whether every reply is now the last one on its connection. */
  readonly isDraining: () => boolean;
  /** Told of everything that is thrown on the way to a reply, whatever its type. */
  readonly reportError: (error: unknown, traceId: string) => void;
  /** Told the status of each request that is refused before anyone is asked to answer it. */
  readonly reportRefusal: (status: number) => void;
  /** Told of each request; undefined when nobody wants to know. */
  readonly observer: Observer | undefined;
};

export type Exchange = {
  /** For node's `request` event, and for the events that it emits instead of that. */
  readonly onRequest: (request: IncomingRequest, response: ByteResponse) => void;
  /** For node's `connect` event: here is no proxy, so there is nothing to connect to. */
  readonly onConnect: (request: IncomingRequest, socket: Duplex) => void;
};

/** The listeners that answer requests by `answer`, and refuse those that nobody should have to answer. */
export function createExchange(answer: Answer, options: ExchangeOptions): Exchange {
  const { isAllowed, isDraining, reportError, reportRefusal, observer } = options;

  function onRequest(request: IncomingRequest, response: ByteResponse): void {
    const known = knownConnection(request.socket);
    if (known?.isClosing) return;
    const refusal = refusalOf(request);
    if (refusal !== 0) {
      observer?.refused(request, refusal);
      reject(response, refusal, known && latestUnsent(known));
      return;
    }
    observer?.accepted(request, response);
    if (request.hasContent) return readContent(request, response);
    if (response.socket === null) connectionOf(request.socket).queued = response;
    respond(request, response);
  }

  // Content is read to its end and discarded before the answer: its end may turn out to be malformed,
  // and then what follows it can't be told from it (request smuggling).
  function readContent(request: IncomingRequest, response: ByteResponse): void {
    const connection = connectionOf(request.socket);
    const previous = latestUnsent(connection);
    connection.reading = response;
    connection.queued = previous;
    let bytes = 0;
    request.on('end', () => respond(request, response));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_CONTENT_BYTES) return;
      request.removeAllListeners();
      reject(response, 413, previous);
    });
  }

  function onConnect(request: IncomingRequest, socket: Duplex): void {
    const connection = connectionOf(socket);
    if (connection.isClosing) return;
    const refusal = refusalOf(request);
    const status = refusal === 0 ? 404 : refusal;
    if (refusal !== 0) reportRefusal(refusal);
    observer?.refused(request, status);
    refuse(socket, emptyReply(status), latestUnsent(connection));
  }

  function refusalOf({ refusal, host }: IncomingRequest): number {
    if (refusal !== 0 || isAllowed === undefined || isAllowed(host)) return refusal;
    return 421; // RFC 9110 15.5.20
  }

  function reject(response: ByteResponse, status: number, previous: ByteResponse | undefined): void {
    reportRefusal(status);
    response.statusCode = status; // for the observer: the refusal itself goes past this response
    response.req.resume(); // what else it sends is discarded
    refuse(response.req.socket, emptyReply(status), previous);
  }

  // The boundary: whatever throws in here, the client gets a problem document and the log the rest.
  function respond(request: IncomingRequest, response: ByteResponse): void {
    try {
      send(response, answer(request), request.isLast || isDraining());
    } catch (error) {
      reportError(error, request.traceId);
      send(response, unexpectedProblem(request.path), request.isLast || isDraining());
    }
  }

  return { onRequest, onConnect };
}

// Sends an answer. Refusals go past node's response: see `refuse`.
function send(response: ByteResponse, reply: Reply, isLast: boolean): void {
  if (isLast) response.shouldKeepAlive = false;
  if (!response.shouldKeepAlive) connectionOf(response.req.socket).isClosing = true;
  response.send(reply);
}
