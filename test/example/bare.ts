// The service on bare `node:http` and `node:https`: this stands in for src/turns if src/app.ts imports it from here. It
// is all that the service needs of a server. What is lost: clients do not take turns, so one can make all others wait.
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { HttpServer, HttpServerOptions } from '../../src/server/http-server.ts';

const SWEEP_MS = 1_000;

type Room = { readonly maxConnections: number };
type Options = HttpServerOptions & { readonly room: Room; readonly proxies?: unknown }; // no PROXY protocol

/** How many connections each server may have. */
export const createRoom = (maxConnections: number): Room => ({ maxConnections });

/** The name of a client. */
export const clientOf = (remoteAddress = ''): string => remoteAddress;

/** Makes a server. For HTTPS, `tls` has the certificate and its key. */
export function createFairServer({ tls, room, ...options }: Options): HttpServer {
  const server = tls === undefined ? Object.assign(http.createServer(options), { setSecureContext() {} })
    : https.createServer({ ...options, ...tls });
  const sockets = new Set<Socket>();
  server.maxConnections = room.maxConnections;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('drop', (dropped) => options.dropped('newRefused', dropped?.remoteAddress, sockets.size));
  server.on('tlsClientError', () => options.failed('tlsFailed'));
  setInterval(options.swept, SWEEP_MS, SWEEP_MS).unref();
  return Object.assign(server, {
    stopListening: () => void server.close(),
    closeAllConnections: () => sockets.forEach((socket) => socket.destroy()),
    leaveBehind: () => () => {},
    openConnections: () => sockets.size,
    longestTurnWait: () => 0,
  });
}
