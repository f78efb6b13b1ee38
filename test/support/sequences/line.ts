// A connection of a client to a real socket, with or without TLS, which can also be reset.
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where a service listens: on a port, or on a Unix socket. */
export type Place = { readonly port: number } | { readonly path: string };

export type Line = {
  /** The socket for the bytes of HTTP: over TLS it is the TLS socket. */
  readonly socket: Socket;
  readonly end: () => void;
  readonly close: () => void;
  readonly reset: () => void;
};

/** Longer than any time limit of the service, in milliseconds. */
export const HANG_MS = 30_000;

/** Connects to `place`. The client's side stays open when the service has ended its side. */
export function dialLine(place: Place, isSecure: boolean): Line {
  const where: NetConnectOpts = 'path' in place ? place : { ...place, host: '127.0.0.1', noDelay: true };
  const below = connect({ ...where, allowHalfOpen: true });
  const socket: Socket = isSecure ? connectTls({ socket: below, rejectUnauthorized: false }) : below;
  socket.setTimeout(HANG_MS, () => socket.destroy(new Error(`Nothing has happened for ${HANG_MS / 1000} s.`)));
  // Node 20 to 26 crash when both sockets are destroyed at once during a write, so they are destroyed in turn.
  if (isSecure) below.on('error', (error) => socket.destroy(error)).once('close', () => socket.destroy());
  return {
    socket,
    end: () => {
      // With TLS, node discards bytes that it has received and nobody has read when it ends its side.
      if (!isSecure) socket.end();
      else {
        socket.resume();
        setImmediate(() => socket.end());
      }
    },
    close: () => below.destroy(),
    reset: () => {
      // Node resets TCP only, and no connection whose own side has ended.
      if (socket.writableEnded || 'path' in place) below.destroy();
      else below.resetAndDestroy();
    },
  };
}
