// Opens the connections of clients: over TCP or TLS, and from any address of the loopback interface.
import { once } from 'node:events';
import { connect, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type Connecting = {
  readonly port: number;
  readonly isTls: boolean;
  /** The address that the connection comes from, instead of 127.0.0.1. */
  readonly from?: string | undefined;
  /** Our side stays open when the server has ended its own. */
  readonly allowHalfOpen?: boolean;
  /** What gets each piece that arrives, in a buffer that is used again. */
  readonly onread?: OnReadOpts;
};

/** Connects to 127.0.0.1. `ready` is called when the connection is there and, over TLS, the handshake is over. */
export function openSocket({ isTls, from, ...others }: Connecting, ready?: () => void): Socket {
  const options = { ...others, host: '127.0.0.1', noDelay: true, ...(from !== undefined && { localAddress: from }) };
  return isTls ? connectTls({ ...options, rejectUnauthorized: false }, ready) : connect(options, ready);
}

/** As `openSocket`, and resolves when the connection is there. */
export function openReady(to: Connecting): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(to, () => resolve(socket)).on('error', reject);
  });
}

/** Sends a request, and resolves when its reply begins to arrive. */
export async function ask(socket: Socket, request: Buffer): Promise<void> {
  socket.write(request);
  await once(socket, 'data');
}

/** The loopback address with this number: all are different, and none is in 127.0.0.0/16. On Linux all of 127.0.0.0/8 can be used. */
export function loopbackAddress(index: number): string {
  return `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
}
