// The service on `node:http`, for SERVER=node: what Node is told, a request, what Node itself refuses, and the stop.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { answer, textOf } from './http/answer.ts';
import { NOT_IN_TRAILERS } from './http/content.ts';
import { NAMES, type Fields } from './http/fields.ts';
import { judgeHead } from './http/head.ts';
import { SIZE_LIMITS } from './http/limits.ts';
import { REFUSALS, type Reason } from './http/refusals.ts';
import { emptyReply, type Reply } from './http/reply.ts';
import type { Known, LegalRequest } from './http/request.ts';
import { loggablePartsOf, parseRequestLine } from './http/request-line.ts';
import { childTraceparent } from './http/trace-context.ts';
import { reportEnded, reportFinished, reportSafely, startRecord, type Server, type ServerOptions } from './server/interface.ts';
import { LIMITS } from './server/states.ts';

/** Of a connection. `latest`: the reply to its latest request. `hasLast`: nothing after its latest request is answered. */
type Connection = { latest?: ServerResponse; refuseLatest?: (reason: Reason) => void; hasLast: boolean };

/** Makes a server, as `CreateServer` says. */
export function createServer(options: ServerOptions, tls?: SecureContextOptions): Server {
  const { handler, refuseHost, isDraining, reports } = options;
  const limits = { ...LIMITS, ...options.limits };
  const settings: http.ServerOptions = {
    headersTimeout: limits.headMs, requestTimeout: limits.requestMs, connectionsCheckingInterval: limits.sweepMs,
    keepAliveTimeout: options.keepAliveTimeoutMs, maxHeaderSize: SIZE_LIMITS.headBytes,
    insecureHTTPParser: false, requireHostHeader: false, // whatever flags Node was started with; and `judgeHead` requires Host
  };
  const secured = tls && https.createServer({ ...settings, ...tls, ALPNProtocols: ['http/1.1'], handshakeTimeout: limits.headMs });
  const listener = secured ?? http.createServer(settings);
  listener.maxConnections = options.maxConnections;
  listener.maxHeadersCount = 0; // no limit: Node would leave out what is above it; `judge` refuses that
  listener.timeout = limits.requestMs + limits.unreadMs; // closes a connection on which nothing moves for so long
  const connections = new Map<Socket, Connection>(); // over TLS there are two: that of TCP, and that of TLS

  listener.on('connection', accept).on('secureConnection', accept);
  listener.on('request', receive).on('checkContinue', receive).on('checkExpectation', receive);
  listener.on('connect', (request: IncomingMessage) => refuseOn(request.socket, judge(request), knownOf(request)));
  listener.on('clientError', fail);
  listener.on('tlsClientError', ({ code }: NodeJS.ErrnoException) =>
    reportEnded(code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'handshakeTooSlow' : 'tlsFailed', reports));
  listener.on('drop', () => reportSafely(reports, ({ dropped }) => dropped('newRefused')));

  function accept(socket: Socket): void {
    connections.set(socket, { hasLast: false });
    socket.on('error', () => {}); // without a listener, an error would end the process; `close` follows
    socket.on('close', () => connections.delete(socket));
  }

  // Node accepts more than is legal.
  function judge(request: IncomingMessage): LegalRequest | Reason {
    if (request.rawHeaders.length > 2 * SIZE_LIMITS.fieldLines) return 'tooManyFieldLines';
    const parsed = parseRequestLine(lineOf(request)), fields: Fields = {};
    if (typeof parsed === 'string') return parsed;
    for (const name of NAMES) fields[name] = request.headersDistinct[name]?.join(', '); // RFC 9110 5.3
    return judgeHead(parsed, fields, refuseHost);
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const { socket, socket: { remoteAddress } } = request;
    const connection = connections.get(socket);
    if (connection === undefined || connection.hasLast) return;
    const judged = judge(request);
    const record = startRecord(typeof judged === 'string' ? knownOf(request) : judged);
    let isSent = false;
    response.on('finish', () => { isSent = !socket.destroyed; }); // also emitted when the rest cannot be sent any more
    response.on('close', () => {
      if (!isSent && listener.listening) reportEnded('resetBeforeReply', reports);
      reportFinished(record, remoteAddress, !isSent, reports);
    });
    const send = ({ status, fields, body }: Reply, isLast: boolean, reason?: Reason) => {
      if (record.status !== undefined) return; // it has been refused meanwhile
      Object.assign(record, { status, reason });
      connection.hasLast ||= isLast;
      if (reason !== undefined) reportSafely(reports, ({ refused }) => refused(reason));
      response.writeHead(status, [...fields, 'Content-Length', String(Buffer.byteLength(body)), 'Date', new Date().toUTCString(),
        'Connection', isLast ? 'close' : 'keep-alive']).end(body);
    };
    const refuse = (reason: Reason) => send(emptyReply(REFUSALS[reason].status), true, reason);
    if (typeof judged === 'string') return refuse(judged);
    const failed = (error: unknown) => reportSafely(reports, (all) => all.failed(error, judged.traceparent));
    const reply = () => send(answer(judged, handler, failed), judged.isLast || isDraining() || !listener.listening);
    Object.assign(connection, { latest: response, refuseLatest: refuse, hasLast: judged.isLast });
    if (judged.contentLength === 0) return reply();
    let received = 0;
    request.on('data', ({ length }: Buffer) => { if ((received += length) > SIZE_LIMITS.contentBytes) refuse('contentTooLong'); });
    const isAllowed = (name: string) => !NOT_IN_TRAILERS.includes(name);
    request.on('end', () => (Object.keys(request.trailers).every(isAllowed) ? reply() : refuse('trailerNotAllowed')));
  }

  // Node's parser refuses what arrives, or it takes too long.
  function fail({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const { latest, refuseLatest } = connections.get(socket) ?? {};
    const isReceiving = latest?.req.complete === false; // its content
    const known: Readonly<Record<string, Reason>> = {
      ERR_HTTP_REQUEST_TIMEOUT: isReceiving ? 'requestTooSlow' : 'headTooSlow',
      HPE_HEADER_OVERFLOW: 'headTooLong', HPE_PAUSED_H2_UPGRADE: 'versionUnsupported',
    };
    const reason = known[code] ?? (code.startsWith('HPE_') ? 'nodeParser' : undefined); // it does not say more
    if (reason === undefined || socket.bytesRead === 0) socket.destroy(); // it has failed, or sent nothing for as long as a head may take
    else if (isReceiving) refuseLatest?.(reason);
    else refuseOn(socket, reason, {});
  }

  // For what Node has no response for. The refusal goes after the replies to the requests before.
  function refuseOn(socket: Socket, reason: Reason | LegalRequest, request: Known): void {
    const connection = connections.get(socket);
    if (connection === undefined || connection.hasLast || typeof reason !== 'string') return;
    connection.hasLast = true;
    const { status } = REFUSALS[reason], record = { ...startRecord(request), status, reason }, { remoteAddress } = socket;
    reportSafely(reports, ({ refused }) => refused(reason));
    const write = () => socket.end(textOf(emptyReply(status), '', true), (error?: Error | null) => {
      reportFinished(record, remoteAddress, error instanceof Error, reports);
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
      // To Node, what has sent nothing is not idle. A request may already be on its way from a client that has only just connected.
      setTimeout(() => connections.forEach((_, socket) => { if (socket.bytesRead === 0) socket.destroy(); }), limits.silentMs).unref();
    }),
    closeAll: () => {
      listener.close();
      connections.forEach((_, socket) => socket.destroy());
      return Array.from(connections.values()).filter(({ latest }) => latest?.writableFinished === false).length;
    },
    setSecureContext: (renewed) => secured?.setSecureContext(renewed),
  };
}

const lineOf = ({ method, url, httpVersion }: IncomingMessage) => `${method} ${url} HTTP/${httpVersion}`;

// What the log may have of a refused request.
function knownOf(request: IncomingMessage): Known {
  const parsed = parseRequestLine(lineOf(request));
  if (typeof parsed === 'string') return loggablePartsOf(lineOf(request));
  const traceparent = childTraceparent(request.headersDistinct['traceparent']?.join(', '));
  return { method: parsed.method, path: parsed.target.path, traceparent };
}
