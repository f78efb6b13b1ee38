// The listeners of a server, for the three things that can arrive: a request, a CONNECT, or bytes that are no request.
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { createRecorder, type OpenRecord } from './reports.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import type { IncomingRequest, Response } from './incoming-request.ts';
import { requestWithUnknownMethod, statusOfParserError } from './parser-error.ts';
import type { ParsedRequest } from './parsed-request.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { emptyReply, type Handler, type Reply } from './reply.ts';
import { MAX_CONTENT_BYTES, nameConnection } from './request-head.ts';
import { lastReplyText, send } from './send.ts';

export type ListenerOptions = PipelineOptions & {
  /** Whether every reply is now the last one on its connection. */
  readonly isDraining: () => boolean;
};

// RFC 9110 15.6.2: no resource here supports this method, because the service is not a proxy.
const connectReply = emptyReply(501);

/** Adds the listeners to `server`. Legal requests are answered by `handler`. */
export function addListeners(server: Server<typeof IncomingRequest>, connections: Connections, handler: Handler, options: ListenerOptions): void {
  const { refusalOf, answer, refuse, unexpected } = createPipeline(handler, options);
  const openRecord = createRecorder(options.reports);

  server.on('request', onRequest);
  server.on('checkContinue', onRequest); // RFC 9110 10.1.1: the final status at once, because no handler reads content
  server.on('checkExpectation', onRequest);
  server.on('connect', onConnect);
  server.on('clientError', onParserError);

  function onRequest(message: IncomingRequest, response: Response): void {
    const connection = connections.of(message.socket);
    if (!connection?.noteRequest(response)) return;
    const request = message.parsed;
    message.record = openRecord?.(message.socket, request);
    const refusalReply = refusalOf(request);
    if (refusalReply !== undefined) {
      end(connection, refusalReply, request, message.record);
      return;
    }
    if (request.mustBeLast || options.isDraining()) connection.startClosing(!request.mustBeLast);
    if (request.hasContent) receiveContent(connection, message, response);
    else respond(connection, message, response);
  }

  // Content is received to its end and discarded before the request is answered: when it is malformed, nobody can
  // tell where the next request begins (request smuggling).
  function receiveContent(connection: Connection, message: IncomingRequest, response: Response): void {
    let bytes = 0;
    function onData(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes <= MAX_CONTENT_BYTES) return;
      message.off('data', onData).off('end', onEnd);
      end(connection, refuse(413, message.parsed), message.parsed, message.record); // RFC 9110 15.5.14
    }
    const onEnd = () => respond(connection, message, response);
    message.on('data', onData).on('end', onEnd);
  }

  function respond(connection: Connection, message: IncomingRequest, response: Response): void {
    const reply = answer(message.parsed);
    // The service may have begun to drain while the content arrived.
    if (connection.isLatest(response) && (!connection.isOpen || options.isDraining() || nameConnection(message.rawTrailers))) {
      end(connection, reply, message.parsed, message.record);
      return;
    }
    try {
      send(response, reply);
    } catch (error) {
      send(response, unexpected(error, message.parsed)); // node refuses an illegal field, against response splitting
    }
    message.record?.answered(response.statusCode);
    if (message.record !== undefined) response.on('finish', message.record.close);
    connection.forgetIfSent(response);
  }

  function onConnect(message: IncomingRequest): void {
    const connection = connections.of(message.socket);
    message.socket.resume(); // node has paused it, because a tunnel would begin here
    if (!connection?.noteRequest(undefined)) return;
    const request = message.parsed;
    end(connection, refusalOf(request) ?? connectReply, request, openRecord?.(message.socket, request));
  }

  // Illegal bytes, time-outs, and methods that node's parser does not know, which are legal all the same.
  function onParserError(error: Error, stream: Duplex): void {
    if ('code' in error && error.code === 'HPE_CLOSED_CONNECTION') return; // bytes behind a last request, at which node's parser stops by itself
    const connection = connections.of(stream);
    const status = statusOfParserError(error);
    if (connection === undefined || status === undefined) {
      stream.destroy(); // the connection has failed: nobody would read a reply
      return;
    }
    if (connection.isEnding) return;
    const arriving = connection.arrivingRequest;
    if (arriving !== undefined) {
      end(connection, refuse(status, arriving.parsed), arriving.parsed, arriving.record); // its content is illegal, or late
    } else if (status === 408 && connection.socket.isPaused()) {
      // Node reads nothing while replies wait for the client, so the client could not send the rest of the head.
    } else if (connection.noteRequest(undefined)) {
      const request = requestWithUnknownMethod(error);
      end(connection, request === undefined ? refuse(status, undefined) : replyTo(request), request, openRecord?.(connection.socket, request));
    }
  }

  function replyTo(request: ParsedRequest): Reply {
    return refusalOf(request) ?? answer(request);
  }

  /** Ends the connection with the reply to its latest request. */
  function end(connection: Connection, reply: Reply, request: ParsedRequest | undefined, record: OpenRecord | undefined): void {
    record?.answered(reply.status);
    connection.endWith(textOf(reply, request, record), (error) => record?.close(error));
  }

  function textOf(reply: Reply, request: ParsedRequest | undefined, record: OpenRecord | undefined): string {
    try {
      return lastReplyText(reply);
    } catch (error) {
      record?.answered(500);
      return lastReplyText(unexpected(error, request));
    }
  }
}
