// The service on `node:http`, for SERVER=node: what Node is told, a request, what Node itself refuses, and the stop.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { answer, dateNow, textOf } from './http/answer.ts';
import { NOT_IN_TRAILERS } from './http/fields.ts';
import { judgeParsed } from './http/head.ts';
import { SIZE_LIMITS, TIME_LIMITS } from './http/limits.ts';
import { emptyReply, type Known, type Reply } from './http/messages.ts';
import { REFUSALS, type Reason } from './http/refusals.ts';
import { finishedRequest, startRecord, type CreateServer } from './server/interface.ts';

// `latest`: the response to the latest request, which `refuseLatest` refuses. Of `count` requests, none after number `last` is answered.
type Connection = { latest?: ServerResponse; refuseLatest?: (reason: Reason) => void; count: number; last: number };

/** Makes a server on `node:http`. */
export const createServer: CreateServer = (options, tls) => {
  const { handler, refuseHost, isDraining, reports } = options, limits = { ...TIME_LIMITS, ...options.limits };
  const settings: http.ServerOptions = {
    headersTimeout: limits.headMs, requestTimeout: limits.requestMs, connectionsCheckingInterval: limits.sweepMs,
    keepAliveTimeout: options.keepAliveTimeoutMs, maxHeaderSize: SIZE_LIMITS.headBytes,
    insecureHTTPParser: false, requireHostHeader: false, // whatever flags Node was started with; and `judgeHead` requires Host
  };
  const secured = tls && https.createServer({ ...settings, ...tls, ALPNProtocols: ['http/1.1'], handshakeTimeout: limits.headMs });
  const listener = secured ?? http.createServer(settings);
  listener.maxConnections = options.maxConnections;
  listener.timeout = limits.requestMs + limits.unreadMs; // closes a connection on which nothing moves for so long
  listener.on('connection', accept).on('secureConnection', accept).on('clientError', fail).on('drop', () => reports.dropped('newRefused'));
  listener.on('request', receive).on('checkContinue', receive).on('checkExpectation', receive);
  listener.on('connect', ({ socket }: IncomingMessage) => refuseOn(socket, 'connectUnsupported', { method: 'CONNECT', path: '' }));
  listener.on('tlsClientError', ({ code }: NodeJS.ErrnoException) =>
    reports.ended(code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'handshakeTooSlow' : 'tlsFailed'));
  const connections = new Map<Socket, Connection>(); // over TLS there are two: that of TCP, and that of TLS

  function accept(socket: Socket): void {
    connections.set(socket, { count: 0, last: Infinity });
    socket.on('close', () => connections.delete(socket)).on('error', () => {}); // without a listener, an error would end the process
    socket.on('timeout', () => socket.destroy()); // Node does the same, but not after CONNECT
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const { socket, socket: { remoteAddress }, method, url, httpVersion, rawHeaders } = request, connection = connections.get(socket);
    if (connection === undefined || connection.last !== Infinity) return;
    const number = connection.count += 1;
    const judged = judgeParsed(`${method} ${url} HTTP/${httpVersion}`, rawHeaders, refuseHost); // Node accepts more than is legal
    const record = startRecord('reason' in judged ? judged.request : judged);
    const isOver = () => record.status !== undefined || number > connection.last; // it has been answered, or will not be
    let isSent = false, received = 0; // whether the reply has been sent, and how many bytes of content have been received
    response.on('close', () => { // on Node 20 and 22 not for a response that waits for others when the connection closes
      const isRead = number <= connection.last; // what follows the last request is not
      if (isRead && !isSent && listener.listening) reports.ended('resetBeforeReply');
      if (isRead) reports.finished?.(finishedRequest(record, remoteAddress, !isSent));
    });
    const send = ({ status, fields, body }: Reply, isLast: boolean, reason?: Reason) => {
      if (isOver()) return;
      Object.assign(record, { status, reason });
      if (isLast) connection.last = number;
      if (reason !== undefined) reports.refused(reason);
      const length = String(Buffer.byteLength(body)), option = isLast ? 'close' : 'keep-alive';
      response.writeHead(status, [...fields, 'Content-Length', length, 'Date', dateNow(), 'Connection', option]);
      response.end(body, () => { isSent = !socket.destroyed; }); // called, too, when the rest cannot be sent any more
    };
    const refuse = (reason: Reason) => send(emptyReply(REFUSALS[reason].status), true, reason);
    if ('reason' in judged) return refuse(judged.reason);
    const reply = () => { if (!isOver()) send(answer(judged, handler, reports.failed), judged.isLast || isDraining()); };
    const { latest } = connection, isNext = latest?.writableEnded !== false; // all requests before it have been handled
    Object.assign(connection, { latest: response, refuseLatest: refuse, last: judged.isLast ? number : Infinity });
    if (judged.contentLength === 0 && isNext) return reply();
    if (judged.contentLength === 0 && judged.isLast) latest?.once('finish', reply); // with Expect, its end may not come: see `judgeHead`
    request.on('data', ({ length }: Buffer) => { if ((received += length) > SIZE_LIMITS.contentBytes) refuse('contentTooLong'); });
    const isNotAllowed = (text: string, at: number) => at % 2 === 0 && NOT_IN_TRAILERS.includes(text.toLowerCase());
    // Its end comes after that of the request before: pipelined requests are handled one after another (RFC 9112 9.3.2).
    request.on('end', () => (request.rawTrailers.some(isNotAllowed) ? refuse('trailerNotAllowed') : reply()));
  }

  // Node's parser refuses what arrives, or it takes too long.
  function fail({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const { latest, refuseLatest } = connections.get(socket) ?? {};
    const isReceiving = latest?.req.complete === false; // its content
    const reasons: Readonly<Record<string, Reason>> = {
      ERR_HTTP_REQUEST_TIMEOUT: isReceiving ? 'requestTooSlow' : 'headTooSlow',
      HPE_HEADER_OVERFLOW: 'headTooLong', HPE_PAUSED_H2_UPGRADE: 'versionUnsupported',
    };
    const reason = reasons[code] ?? (code.startsWith('HPE_') ? 'nodeParser' : undefined); // it does not say more
    if (reason === undefined || socket.bytesRead === 0) socket.destroy(); // it has failed, or sent nothing for as long as a head may take
    else if (isReceiving) refuseLatest?.(reason);
    else refuseOn(socket, reason);
  }

  // Where Node gives no response object. The refusal goes after the replies to the requests before.
  function refuseOn(socket: Socket, reason: Reason, known: Pick<Known, 'method' | 'path'> = {}): void {
    const connection = connections.get(socket), { status } = REFUSALS[reason], { remoteAddress } = socket;
    if (connection === undefined || connection.last !== Infinity) return;
    connection.last = connection.count;
    const record = { ...startRecord({ parent: undefined, ...known }), status, reason };
    reports.refused(reason);
    const write = () => socket.end(textOf(emptyReply(status), '', true), (error?: Error | null) => {
      reports.finished?.(finishedRequest(record, remoteAddress, error instanceof Error));
      setTimeout(() => socket.destroy(), limits.lingerMs).unref(); // closing now, with bytes unread, could cause a reset (RFC 9112 9.6)
    });
    if (connection.latest?.writableFinished === false) connection.latest.once('close', write);
    else write();
  }

  return {
    listener,
    stopListening: () => { listener.close(); }, // this also closes idle connections
    close: () => new Promise((resolve) => {
      listener.close(() => setImmediate(setImmediate, resolve)); // the responses close an iteration later
      // To Node, what has sent nothing is not idle.
      setTimeout(() => connections.forEach((_, socket) => { if (socket.bytesRead === 0) socket.destroy(); }), limits.closeIdleMs).unref();
    }),
    closeAll: () => {
      listener.close();
      connections.forEach((_, socket) => socket.destroy());
      return Array.from(connections.values()).filter(({ latest }) => latest?.writableFinished === false).length;
    },
    setSecureContext: (renewed) => secured?.setSecureContext(renewed),
  };
};
