// TLS on an accepted socket.
import type { Socket } from 'node:net';
import { TLSSocket, type SecureContext } from 'node:tls';
import type { Transport } from './connection.ts';
import type { Turns } from './turns.ts';
import { Valve } from './valve.ts';

/** Speaks TLS on `carrier`, which is one of `client`, with the certificate and the key in `secureContext`. */
export function secure(secureContext: SecureContext, carrier: Socket, client: string, turns: Turns): Transport {
  const options = {
    isServer: true,
    secureContext,
    ALPNProtocols: ['http/1.1'], // RFC 7301: a client that speaks HTTP/2 only is told so in the handshake
    highWaterMark: 0, // while the socket is paused, it asks for no more
  };
  const valve = new Valve(carrier, client, turns);
  const socket = new TLSSocket(valve, options);
  socket.once('secure', () => { valve.isReady = true; }); // https://nodejs.org/api/tls.html#event-secure
  // RFC 8446 6.2: an error of TLS ends the connection. After the handshake, this event of node is the only word of it.
  socket.on('_tlsError', () => { valve.hasFailed = true; socket.destroy(); });
  return { socket, below: valve };
}
