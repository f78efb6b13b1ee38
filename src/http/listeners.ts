// The listeners for the events of a server: a request, a CONNECT, and what node's parser reports as an error. They move a
// connection through the states that connection.ts describes at its top.
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import type { IncomingRequest, Response } from './incoming-request.ts';
import type { Limits } from './limits.ts';
import { requestWithUnknownMethod, statusOfParserError, type ClientError } from './parser-error.ts';
import type { ParsedRequest } from './parsed-request.ts';
import type { OpenRecord } from './reports.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { emptyReply, type Handler, type Reply } from './reply.ts';
import { MAX_CONTENT_BYTES, mustBeLastBecauseOf } from './request-head.ts';
import { lastReplyText, send } from './send.ts';

export type ListenerOptions = PipelineOptions & {
  /** Whether the service drains: on each connection, the request whose content is arriving, or else the next one, is the last. */
  readonly isDraining: () => boolean;
};

// RFC 9110 15.6.2: no resource here supports this method, because the service is not a proxy.
const connectReply = emptyReply(501);

/** Adds the listeners to `server`. Legal requests are answered by `handler`. */
export function addListeners(server: Server<typeof IncomingRequest>, connections: Connections, handler: Handler, { headMs }: Limits, options: ListenerOptions): void {
  const { refusalOf, answer, refuse, unexpected } = createPipeline(handler, options);

  server.on('request', onRequest);
  server.on('checkContinue', onRequest); // RFC 9110 10.1.1: the reply is sent at once, without a 100, because content is not needed
  server.on('checkExpectation', onRequest);
  server.on('connect', onConnect);
  server.on('clientError', onClientError);

  function onRequest(message: IncomingRequest, response: Response): void {
    const connection = connections.of(message.socket);
    if (!connection?.noteRequest(response)) return;
    const request = message.parsed;
    message.record = connection.records?.open(request);
    const refusalReply = refusalOf(request);
    if (refusalReply !== undefined) {
      end(connection, refusalReply, request, message.record);
      return;
    }
    if (request.mustBeLast) connection.startClosing('request');
    else if (options.isDraining()) connection.startClosing('draining');
    if (request.hasContent) receiveContent(connection, message, response);
    else respond(connection, message, response);
  }

  // Content is received to its end and discarded before the request is answered: when it is malformed, nobody can
  // tell where the next request begins (request smuggling).
  function receiveContent(connection: Connection, message: IncomingRequest, response: Response): void {
    message.forgetFields();
    let bytes = 0;
    function onData(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > MAX_CONTENT_BYTES) refuseContent(connection, message, 413); // RFC 9110 15.5.14
    }
    message.on('data', onData).on('end', () => {
      respond(connection, message, response);
      message.rawTrailers = []; // up to 16 KiB, which would be kept until the reply has left
    });
  }

  /** Refuses a request because of its content. Content that has been parsed already may still be emitted, and is ignored. */
  function refuseContent(connection: Connection, message: IncomingRequest, status: number): void {
    message.removeAllListeners('data').removeAllListeners('end');
    end(connection, refuse(status, message.parsed), message.parsed, message.record);
  }

  function respond(connection: Connection, message: IncomingRequest, response: Response): void {
    const reply = answer(message.parsed);
    // Only the newest request can be the last one. The service may have begun to drain while its content
    // arrived, and trailers may have come after the content.
    if (connection.isNewest(response) && (!connection.isOpen || options.isDraining() || mustBeLastBecauseOf(message.rawTrailers))) {
      end(connection, reply, message.parsed, message.record);
      return;
    }
    try {
      send(response, reply);
    } catch (error) {
      send(response, unexpected(error, message.parsed)); // node throws for an illegal field, which prevents response splitting
    }
    if (connection.records !== undefined) response.on('finish', connection.records.close);
    noteStatus(message.record, response.statusCode);
    connection.forgetIfLeft(response);
  }

  function onConnect(message: IncomingRequest): void {
    const connection = connections.of(message.socket);
    message.socket.resume(); // node has paused it, because a tunnel would begin here
    if (!connection?.noteRequest(undefined)) return;
    const request = message.parsed;
    end(connection, refusalOf(request) ?? connectReply, request, connection.records?.open(request));
  }

  // Illegal bytes, time-outs, errors of the socket, and methods that node's parser does not know, which are legal.
  function onClientError(error: ClientError, stream: Duplex): void {
    if (error.code === 'HPE_CLOSED_CONNECTION') return; // node's parser has stopped after a last request, and reports the bytes after it
    const connection = connections.of(stream);
    const status = statusOfParserError(error);
    if (connection === undefined || status === undefined) {
      stream.destroy(); // the connection has failed: nobody would read a reply
      return;
    }
    if (connection.isEnding) return;
    const arriving = connection.arrivingRequest;
    if (status === 408 && connection.socket.isPaused()) {
      giveMoreTime(connection, error);
    } else if (arriving !== undefined) {
      refuseContent(connection, arriving, status); // its content is illegal, or late
    } else {
      endRejected(connection, error, status);
    }
  }

  // The parser has rejected a head, or what is in place of one.
  function endRejected(connection: Connection, error: ClientError, status: number): void {
    if (!connection.noteRequest(undefined)) return;
    const request = requestWithUnknownMethod(error);
    const reply = request === undefined ? refuse(status, undefined) : refusalOf(request) ?? answer(request);
    end(connection, reply, request, connection.records?.open(request));
  }

  // Node reads nothing while too many replies are unread, so the client could not send the rest of the request. Node
  // reports a late request only once. So this looks again, or an incomplete request could hold its connection for ever.
  function giveMoreTime(connection: Connection, error: ClientError): void {
    const { socket } = connection;
    const received = connection.receivedCount;
    setTimeout(() => {
      if (!socket.destroyed && connection.receivedCount === received) onClientError(error, socket);
    }, headMs).unref();
  }

  /** Ends the connection with the reply to its newest request. */
  function end(connection: Connection, reply: Reply, request: ParsedRequest | undefined, record: OpenRecord | undefined): void {
    let text;
    try {
      text = lastReplyText(reply);
    } catch (error) {
      end(connection, unexpected(error, request), request, record); // nothing in this reply is illegal
      return;
    }
    noteStatus(record, reply.status);
    connection.endWith(text);
  }
}

function noteStatus(record: OpenRecord | undefined, status: number): void {
  if (record !== undefined) record.status = status;
}
