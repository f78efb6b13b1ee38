// Opens the connections of clients: over TCP or TLS, and from any address of the loopback interface.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type Connecting = {
  readonly port: number;
  readonly isTls: boolean;
  /** The address that the connection comes from. Undefined: 127.0.0.1. */
  readonly from?: string | undefined;
  /** Whether our side stays open when the server has ended its own. */
  readonly allowHalfOpen?: boolean;
};

/** Connects to 127.0.0.1. The socket emits `readyEvent` when the connection is there. */
export function openSocket({ port, isTls, from, allowHalfOpen = false }: Connecting): Socket {
  const options = { port, host: '127.0.0.1', allowHalfOpen, ...(from !== undefined && { localAddress: from }) };
  const socket = isTls ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
  return socket.setNoDelay(true);
}

/** What a socket emits when the connection is there and, over TLS, the handshake is over. */
export function readyEvent(isTls: boolean): 'connect' | 'secureConnect' {
  return isTls ? 'secureConnect' : 'connect';
}

/** As `openSocket`, and resolves when the connection is there. */
export async function openReady(connecting: Connecting): Promise<Socket> {
  const socket = openSocket(connecting);
  await once(socket, readyEvent(connecting.isTls));
  return socket;
}

/** The loopback address with this number: all are different, and none is in 127.0.0.0/16. On Linux all of 127.0.0.0/8 can be used. */
export function loopbackAddress(index: number): string {
  return `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
}
