// What a connection reads from and writes to: a TCP or Unix socket, as here, or TLS on one (tls.ts).
import type { Socket } from 'node:net';
import { createIntake, type Consumer, type Intake } from './intake.ts';
import type { Turns } from './turns.ts';
import { write } from './write.ts';

/** Who uses a transport: it consumes what arrives, and is told when a TLS handshake is over. It listens for errors of `socket`. */
export type User = Consumer & { readonly ready: () => void };

export type Transport = Omit<Intake, 'isHolding'> & {
  readonly socket: Socket;
  readonly isReady: () => boolean; // whether there is no TLS handshake, or it is over
  readonly hasBegun: () => boolean; // whether something has arrived that has not been consumed, if only a part of a TLS record
  readonly hasFailed: () => boolean; // of a transport that has closed: whether TLS failed, or its handshake had begun and was not over
  readonly write: (text: string, flushed: () => void) => void; // `flushed` is called once the kernel has taken all of it, perhaps at once
  readonly cut: () => void; // closes both sides now
};

/** Makes the transport of an accepted socket, which comes from `client`. */
export type OpenTransport = (socket: Socket, client: string, turns: Turns, user: User) => Transport;

/** A TCP or Unix socket as a transport. */
export const openTcp: OpenTransport = (socket, client, turns, user) => {
  const intake = createIntake(socket, client, turns, user, () => false);
  return {
    ...intake,
    socket,
    isReady: () => true,
    hasBegun: intake.isHolding,
    hasFailed: () => false,
    write: (text, flushed) => write(socket, text, flushed),
    cut: () => { socket.destroy(); },
  };
};
