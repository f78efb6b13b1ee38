// The events of node's server: a request, a CONNECT, and what its parser rejects. Each gets one reply.
import type { Server, ServerResponse } from 'node:http';
import type { ParsedRequest } from '../http/parsed-request.ts';
import { emptyReply, type Handler, type Reply } from '../http/reply.ts';
import { requestWithUnknownMethod, statusOfParserError } from '../http/rejected-request.ts';
import { endConnection, MAX_CONTENT_BYTES } from '../http/request-head.ts';
import { Connection } from './connection.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { openRecord, type AccessRecord } from './reports.ts';
import { send, textOf } from './send.ts';

export type RequestOptions = PipelineOptions & {
  /** Whether the service drains: each reply is the last on its connection then. */
  readonly isDraining: () => boolean;
};

// RFC 9110 15.6.2: no resource here supports this method, because the service is not a proxy.
const connectReply = emptyReply(501);

/** Adds the listeners to `server`. Returns the function that refuses incomplete requests. */
export function addRequestListeners(server: Server<typeof IncomingRequest>, handler: Handler, options: RequestOptions) {
  const { refusalOf, answer, refuse, unexpected } = createPipeline(handler, options);

  server.on('request', onRequest);
  server.on('checkContinue', onRequest); // RFC 9110 10.1.1: a final reply instead of a 100, because no endpoint needs content
  server.on('checkExpectation', onRequest);
  server.on('connect', onConnect);
  server.on('clientError', onParserError);

  function onRequest(message: IncomingRequest, response: ServerResponse): void {
    const connection = connectionOf(message.socket);
    const request = message.parsed;
    const record = openRecord(request, connection.clientAddress, options.reports);
    connection.oweReply(message, request.contentLength ?? 0, record);
    const refusal = refusalOf(request);
    if (refusal !== undefined) reply(connection, request, response, record, refusal, true);
    else if (request.contentLength !== 0) receiveContent(connection, message, response, record);
    else reply(connection, request, response, record, answer(request), request.mustBeLast || options.isDraining());
  }

  // Content is received to its end and discarded before the request is answered: when it is malformed, nobody can
  // tell where the next request begins (request smuggling).
  function receiveContent(connection: Connection, message: IncomingRequest, response: ServerResponse, record: AccessRecord): void {
    const request = message.parsed;
    let bytes = 0;
    connection.refuseContent = (status) => {
      reply(connection, request, response, record, refuse(status, request), true);
    };
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_CONTENT_BYTES) connection.refuseContent?.(413); // RFC 9110 15.5.14
    });
    message.on('end', () => {
      if (connection.isEnding) return;
      reply(connection, request, response, record, answer(request), request.mustBeLast || options.isDraining() || endConnection(message.rawTrailers));
    });
  }

  function reply(connection: Connection, request: ParsedRequest, response: ServerResponse, record: AccessRecord, value: Reply, isLast: boolean): void {
    connection.refuseContent = undefined;
    if (isLast) connection.startEnding();
    else connection.read(0); // Faster: asks for more now, not in a tick of its own (`readable.read(0)`). With the one in connection.ts 0.05
    record.status = value.status;
    try {
      send(response, value, isLast);
    } catch (error) {
      const problem = unexpected(error, request);
      record.status = problem.status;
      send(response, problem, isLast); // node throws for an illegal field, which prevents response splitting
    }
  }

  function onConnect(message: IncomingRequest): void {
    const request = message.parsed;
    replyWithText(connectionOf(message.socket), request, () => refusalOf(request) ?? connectReply);
  }

  // What node's parser rejects: illegal bytes, and legal methods that it does not know.
  function onParserError({ code }: NodeJS.ErrnoException, socket: unknown): void {
    const connection = connectionOf(socket);
    const request = requestWithUnknownMethod(code, connection.firstPiece);
    if (request === undefined) reject(connection, statusOfParserError(code, connection.firstPiece));
    else replyWithText(connection, request, () => refusalOf(request) ?? answer(request));
  }

  /** Refuses a request that is illegal or incomplete. */
  function reject(connection: Connection, status: number): void {
    if (connection.refuseContent !== undefined) connection.refuseContent(status);
    else replyWithText(connection, undefined, () => refuse(status, undefined));
  }

  /** Sends the last reply where node provides no response. */
  function replyWithText(connection: Connection, request: ParsedRequest | undefined, makeReply: () => Reply): void {
    if (connection.isEnding) return;
    const record = openRecord(request, connection.clientAddress, options.reports);
    connection.oweReply(undefined, 0, record);
    connection.startEnding();
    let value = makeReply();
    let text;
    try {
      text = textOf(value);
    } catch (error) {
      value = unexpected(error, request);
      text = textOf(value);
    }
    record.status = value.status;
    connection.end(text);
  }

  return reject;
}

/** The connection that node names as a socket. */
export function connectionOf(socket: unknown): Connection {
  if (socket instanceof Connection) return socket;
  throw new TypeError('Not a connection of this server');
}
