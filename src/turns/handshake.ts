// TLS on a connection. A `tls.Server` would make its sockets itself, with a high-water mark that is too high to stop
// reading at once.
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, TLSSocket, TLSSocketOptions } from 'node:tls';
import { ALERT, isRecord, readHello } from './client-hello.ts';
import { readBeginning, type Connection } from './connection.ts';
import { HIGH_WATER_MARK } from './reader.ts';
import type { Turns } from './turns.ts';

// RFC 9325 3.4: whoever gets the key of tickets can decrypt what was sent over TLS 1.2 while it was in use.
const TICKET_KEY_MS = 12 * 60 * 60 * 1000;

// RFC 7301 3.2: a client that speaks only HTTP/2 is refused. Node copies it for each socket: if it were no DataView, to
// the pool of Buffers, of which each connection would keep up to 64 KiB.
const HTTP_1 = new DataView(Uint8Array.from(Buffer.from('\x08http/1.1\x08http/1.0')).buffer);

/** As for `tls.createServer`, but there are no certificates of clients, and no renegotiation. */
export type TlsOptions = SecureContextOptions & Pick<TLSSocketOptions, 'ALPNProtocols' | 'SNICallback'>;

/** Shakes hands, in a turn. `done` gets the decrypted socket, or undefined if no ClientHello has come. */
export function shakeHands(
  connection: Connection, startTls: (socket: Duplex) => TLSSocket, turns: Turns, done: (socket?: TLSSocket) => void,
): void {
  const { socket, client: { short } } = connection;
  function takeTurn(): void {
    if (socket.destroyed) return;
    turns.endAfterOne(); // it takes more than 0.5 ms of CPU time
    const secured = startTls(socket); // takes what waits in the socket
    secured.on('error', () => {}); // `close` follows
    // After the handshake, what is illegal (RFC 8446 6.2) would be an `error` on sockets of a `tls.Server` only.
    secured.on('_tlsError', (error: Error) => secured.destroy(error));
    secured.once('secure', () => done(secured));
  }
  socket.on('close', () => short.delete(takeTurn));
  const read = (bytes: Buffer) => {
    const hello = readHello(bytes);
    if (hello === undefined && isRecord(bytes)) socket.write(ALERT);
    return hello;
  };
  readBeginning(socket, read, (hello) => (hello === undefined ? done() : turns.wait(short, takeTurn)));
}

/** Starts TLS on sockets. Throws if it is to verify certificates of clients: only a `tls.Server` does that. */
export function createTls({ ALPNProtocols = HTTP_1, SNICallback, ...options }: TlsOptions) {
  if (Reflect.get(options, 'requestCert') === true) throw new TypeError('Certificates of clients cannot be requested.');
  const fixed = { isServer: true, ALPNProtocols, SNICallback, highWaterMark: HIGH_WATER_MARK };
  // Loaded when there is TLS: for others, that would delay the start.
  const [tls, { constants }] = [process.getBuiltinModule('node:tls'), process.getBuiltinModule('node:crypto')];
  let latest = createContext(options);

  // As with `tls.createServer`, the server chooses the cipher. In TLS 1.2, clients cannot renegotiate (RFC 9325 3.5):
  // one could do so hundreds of times in a second.
  function createContext(own: SecureContextOptions) {
    const secureOptions = (own.secureOptions ?? 0) | constants.SSL_OP_NO_RENEGOTIATION;
    const ecdhCurve = keyExchanges(process.versions.openssl);
    const secureContext = tls.createSecureContext({ honorCipherOrder: true, ecdhCurve, ...own, secureOptions });
    return { own, secureContext, madeAt: performance.now() };
  }

  return {
    start: (socket: Duplex): TLSSocket => new tls.TLSSocket(socket, { ...fixed, secureContext: latest.secureContext }),
    /** Later sockets get this certificate and key. Sessions from before are not resumed. */
    setSecureContext: (context: SecureContextOptions): void => { latest = createContext(context); },
    /** To be called again and again: when it is 12 hours old, the key of tickets is renewed. */
    renewTicketKey(): void {
      if (performance.now() - latest.madeAt >= TICKET_KEY_MS) latest = createContext(latest.own);
    },
  };
}

/** Cheap key exchanges. With others, a handshake can cost 200 ms of CPU (Node 20: ffdhe8192). */
export function keyExchanges(openssl: string): string {
  const isNew = openssl.localeCompare('3.5', 'en', { numeric: true }) >= 0;
  return `${isNew ? 'X25519MLKEM768:' : ''}X25519:P-256`; // the first one resists quantum computers
}
