// TLS on an accepted socket.
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { Limits } from './limits.ts';

const BYTES_PER_DATA_BYTE = 64; // a record with a single byte of data has about 25 bytes

export type SecureSocket = {
  readonly socket: TLSSocket;
  /** Whether the TLS handshake is not over. */
  readonly isHandshaking: () => boolean;
  /**
   * Whether the client has sent almost only records without data since the last call. Those of the type KeyUpdate
   * (RFC 8446 4.6.3) cost much CPU time, and nothing else notices them.
   */
  readonly isFlood: () => boolean;
};

/** Speaks TLS on `carrier`, with the certificate and the key in `secureContext`. */
export function secure(carrier: Socket, secureContext: SecureContext, { tlsOverheadBytes }: Limits): SecureSocket {
  const { TLSSocket } = process.getBuiltinModule('node:tls'); // it takes time to load, so it is loaded when it is needed
  const options = {
    isServer: true,
    secureContext,
    ALPNProtocols: ['http/1.1'], // RFC 7301: a client that speaks HTTP/2 only is told so in the handshake
    highWaterMark: 0, // while the socket is paused, node reads no more than it has begun to read
  };
  const socket = new TLSSocket(carrier, options);
  let carried = 0, data = 0;
  return {
    socket,
    isHandshaking: () => socket.getPeerFinished() === undefined,
    isFlood: () => {
      const newCarried = carrier.bytesRead - carried, newData = socket.bytesRead - data;
      carried += newCarried;
      data += newData;
      return newCarried > tlsOverheadBytes + BYTES_PER_DATA_BYTE * newData;
    },
  };
}
