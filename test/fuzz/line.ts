// A connection of a client, with TLS or without, that it can reset.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type Line = {
  /** What is written to and read from. */
  readonly socket: Socket;
  /** Says that no more will come. */
  readonly end: () => void;
  /** Ends the connection at once. */
  readonly close: () => void;
  /** The same, with a reset. */
  readonly reset: () => void;
};

/** More than anything in the service may take, in ms. */
export const HANG_MS = 30_000;

/** Connects to `port`. Its own side stays open when the service has ended the other. */
export function dialLine(port: number, isSecure: boolean): Line {
  const below = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const socket: Socket = isSecure ? connectTls({ socket: below, rejectUnauthorized: false }) : below;
  socket.setTimeout(HANG_MS, () => socket.destroy(new Error(`Nothing has happened for ${HANG_MS / 1000} s.`)));
  // Node 20 to 26 crash when both are destroyed at once and something is being written: one after the other.
  if (isSecure) below.on('error', (error) => socket.destroy(error)).once('close', () => socket.destroy());
  return {
    socket,
    end: () => {
      // With TLS, node throws away what has arrived and has not been read when it ends its side.
      if (!isSecure) socket.end();
      else {
        socket.resume();
        setImmediate(() => socket.end());
      }
    },
    close: () => below.destroy(),
    reset: () => {
      if (socket.writableEnded) below.destroy(); // node does not reset a connection whose own side has ended
      else below.resetAndDestroy();
    },
  };
}
