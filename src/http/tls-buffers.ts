// Keeps small what the sockets of a TLS server buffer.
import type { Server } from 'node:net';

const stream = process.getBuiltinModule('node:stream'); // node has loaded it already; an import statement would load more files

/**
 * While a socket is paused, its stream goes on reading until it has buffered as many bytes as its high water mark says: 64 KiB,
 * or 16 KiB on node 20. Over TLS each byte may be a chunk of its own, because a TLS record may carry a single byte, and a
 * chunk takes some hundred bytes of memory. Thirty clients would take 700 MiB. So the TLS sockets of `server` get the
 * smallest high water mark, 1. `node:https` has no option for that, so the default changes while node makes such a
 * socket, which it does in its own listener for `connection`.
 */
export function minimizeTlsBuffers(server: Server): void {
  const usual = stream.getDefaultHighWaterMark(false);
  server.prependListener('connection', () => stream.setDefaultHighWaterMark(false, 1));
  server.on('connection', () => stream.setDefaultHighWaterMark(false, usual));
}
