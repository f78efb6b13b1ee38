// TLS as a transport.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket, type SecureContextOptions } from 'node:tls';
import { createIntake } from './intake.ts';
import { whenTaken, type OpenTransport, type Transport, type User } from './transport.ts';
import type { Turns } from './turns.ts';
import { createValve } from './valve.ts';

/** Makes transports with this certificate and key, until `setSecureContext` is given others. */
export function createTls(options: SecureContextOptions) {
  const own = {
    isServer: true,
    secureContext: createSecureContext(options),
    ALPNProtocols: ['http/1.1'], // RFC 7301: a client that speaks only HTTP/2 is refused in the handshake
    highWaterMark: 0, // see intake.ts
  };
  const open: OpenTransport = (...accepted) => openTls((stream) => new TLSSocket(stream, own), ...accepted);
  return { open, setSecureContext: (next: SecureContextOptions): void => { own.secureContext = createSecureContext(next); } };
}

/** The transport of an accepted socket, which comes from `client`. `wrap` puts TLS on the valve. */
export function openTls(wrap: (stream: Duplex) => Socket, carrier: Socket, client: string, turns: Turns, user: User): Transport {
  let isReady = false; // the handshake is over
  let hasFailed = false; // TLS has rejected what the client has sent
  const valve = createValve(carrier, client, turns, () => isReady);
  const socket = wrap(valve.stream);
  const intake = createIntake(socket, client, turns, user, () => false, true);
  // https://nodejs.org/api/tls.html#event-secure. Once: a client that asks for renegotiation, which is refused, causes it again.
  socket.once('secure', () => { isReady = true; user.ready(); });
  // RFC 8446 6.2: a TLS error ends the connection. After the handshake, this event is the only sign of it.
  socket.on('_tlsError', () => { hasFailed = true; socket.destroy(); });
  return {
    ...intake,
    socket,
    isHolding: () => intake.isHolding() || valve.isHolding(), // also a part of a record
    hasStalled: () => [intake.hasStalled(), valve.hasStalled()].includes(true), // both, because each call begins a new period
    hasFailed: () => hasFailed || (!isReady && carrier.bytesRead > 0),
    // The valve passes it on later, so it is never taken at once. And never an empty write, as in `write`: while one is pending, an
    // answer of TLS itself, such as an alert, makes Node throw where nothing can catch it (ERR_INTERNAL_ASSERTION, Node 20).
    write: (text, flushed) => { socket.write(text, whenTaken(socket, flushed)); },
    cut: () => {
      if (!isReady || !socket.writable || socket.writableLength > 0) return void socket.destroy();
      socket.end(); // RFC 8446 6.1: close_notify. It has one iteration to be sent, so a client that does not read gains nothing.
      setImmediate(() => socket.destroy());
    },
  };
}
