// The end of a connection: the last word is said once, and after the replies to all earlier requests.
import type { Duplex } from 'node:stream';
import { replyBytes, type ByteResponse } from './node-http.ts';
import type { Reply } from './reply.ts';

/** What there is to remember of a connection: of most, nothing. */
export type Connection = {
  /** The last reply has been decided on: nothing that still arrives is a request (RFC 9112 9.6). */
  isClosing: boolean;
  /** The latest response that had to wait for earlier ones (pipelining, RFC 9112 9.3.2). */
  queued: ByteResponse | undefined;
  /** The response to the latest request with content, which is answered when that has been read. */
  reading: ByteResponse | undefined;
};

const connections = new WeakMap<Duplex, Connection>();

/** What is remembered of the connection behind a socket, if anything. */
export function knownConnection(socket: Duplex): Connection | undefined {
  return connections.get(socket);
}

/** The same, to remember something in it. */
export function connectionOf(socket: Duplex): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = { isClosing: false, queued: undefined, reading: undefined };
    connections.set(socket, connection);
  }
  return connection;
}

/** The latest response that has not been handed to the socket yet, if any: what is written now must wait for it. */
export function latestUnsent({ queued, reading }: Connection): ByteResponse | undefined {
  if (queued?.destroyed === false) return queued; // node calls a response destroyed when it is over
  return reading?.headersSent === false ? reading : undefined;
}

/** How long a refused client may go on sending before it is cut off. */
const LINGER_MS = 1000;

/** Says `reply` once the response `after` has been sent, and closes the connection. */
export function refuse(socket: Duplex, reply: Reply, after: ByteResponse | undefined): void {
  connectionOf(socket).isClosing = true;
  if (after === undefined || after.destroyed) endWith(socket, reply);
  else after.once('close', () => endWith(socket, reply));
}

// Closing a socket with unread bytes resets the connection, and the reset can overtake the reply (RFC
// 9112 9.6). So: send, close our side, and read on without listening until the client closes its own.
function endWith(socket: Duplex, reply: Reply): void {
  socket.on('error', () => {}); // a client that is gone, or resets it all the same, has had its say
  socket.end(replyBytes(reply, true), 'latin1');
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}
