// The state of a connection, and its end: the last word is said once, after all earlier ones.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { http } from './node-http.ts';
import type { Reply } from './reply.ts';

export type Connection = {
  /** The responses to the newest request and to the one before it. */
  newest: ServerResponse | undefined;
  previous: ServerResponse | undefined;
  /** The last reply has been decided on: nothing that still arrives is a request (RFC 9112 9.6). */
  isClosing: boolean;
};

const connections = new WeakMap<Duplex, Connection>();

/** The state of the connection behind a socket. */
export function connectionOf(socket: Duplex): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = { newest: undefined, previous: undefined, isClosing: false };
    connections.set(socket, connection);
  }
  return connection;
}

/** How long a refused client may go on sending before it is cut off. */
const LINGER_MS = 1000;

/** Says `reply` once everything up to the response `after` has been sent, and closes the connection. */
export function refuse(socket: Duplex, reply: Reply, after: ServerResponse | undefined): void {
  connectionOf(socket).isClosing = true;
  if (after === undefined || after.destroyed) endWith(socket, reply);
  else after.once('close', () => endWith(socket, reply));
}

// Closing a socket with unread bytes resets the connection, and the reset can overtake the reply (RFC
// 9112 9.6). So: send, close our side, and read on without listening until the client closes its own.
function endWith(socket: Duplex, reply: Reply): void {
  socket.on('error', () => {}); // a client that is gone, or resets it all the same, has had its say
  socket.end(replyBytes(reply), 'latin1');
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}

function replyBytes({ status, headers, body }: Reply): string {
  const fields = [...headers, 'Date', new Date().toUTCString(), 'Connection', 'close'];
  const lines = fields.map((field, i) => (i % 2 === 0 ? `${field}: ` : `${field}\r\n`));
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
