// TLS on a connection. A `tls.Server` would make its sockets itself, with a high-water mark too high to stop reading at
// once. Key updates of TLS 1.3 (RFC 8446 4.6.3) take no turns: TLS carries out all that a read brings, 2,225 in 50 ms.
// So whoever sends many is cut off, before more is read.
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import type { SecureContextOptions, TLSSocket, TLSSocketOptions } from 'node:tls';
import { ALERT, readHello } from './client-hello.ts';
import { readBeginning, type Connection } from './connection.ts';
import { HIGH_WATER_MARK } from './reader.ts';
import type { Turns } from './turns.ts';

// RFC 9325 3.4: whoever gets the key of tickets can decrypt what was sent over TLS 1.2 while it was in use.
const TICKET_KEY_MS = 12 * 60 * 60 * 1000;

// RFC 7301 3.2: a client that speaks only HTTP/2 is refused. Node copies it for each socket: if it were no DataView, to
// the pool of Buffers, of which each connection would keep up to 64 KiB.
const HTTP_1 = new DataView(Uint8Array.from(Buffer.from('\x08http/1.1\x08http/1.0')).buffer);

const MAX_KEY_UPDATES = 16; // of a connection; one that asks for an update of ours counts as two
const CUT_CLIENT_AT = 1_000; // at each 1,000th in a second: 25 ms of CPU time

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
    if (hello === undefined && bytes[1] === 3) socket.write(ALERT); // a version of TLS: it understands this
    return hello;
  };
  readBeginning(socket, read, (hello) => (hello === undefined ? done() : turns.wait(short, takeTurn)));
}

/** After a handshake, `keylog` tells of key updates alone. `cut` gets those of `all` connections with too many. */
export function watchKeyUpdates(
  connection: Connection, secured: TLSSocket, all: Iterable<Connection>, cut: (connection: Connection) => void,
): void {
  const { client, socket } = connection;
  if (!(socket instanceof Socket)) return; // others would close inside OpenSSL
  let own = 0;
  secured.on('keylog', () => {
    own += 1;
    client.keyUpdates += 1;
    const isOverForAll = client.keyUpdates % CUT_CLIENT_AT === 0;
    if (!isOverForAll && own <= MAX_KEY_UPDATES) return;
    // This is inside OpenSSL, so TLS may be closed only after it. The socket below must be at once: it would read on.
    if (!socket.destroyed) setImmediate(cut, connection);
    socket.destroy();
    for (const other of all) if (isOverForAll && other.client === client && other !== connection) cut(other);
  });
}

/** Starts TLS on sockets. Throws if it is to verify certificates of clients: only a `tls.Server` does that. */
export function createTls({ ALPNProtocols = HTTP_1, SNICallback, ...options }: TlsOptions) {
  if (Reflect.get(options, 'requestCert') === true) throw new TypeError('Certificates of clients cannot be requested.');
  const fixed = { isServer: true, ALPNProtocols, SNICallback, highWaterMark: HIGH_WATER_MARK };
  // Loaded when there is TLS: for others, that would delay the start.
  const [tls, { constants }] = [process.getBuiltinModule('node:tls'), process.getBuiltinModule('node:crypto')];
  let latest = createContext(options);

  // As with `tls.createServer`, the server chooses the cipher. Clients cannot renegotiate in TLS 1.2 (RFC 9325 3.5).
  function createContext(own: SecureContextOptions) {
    const secureOptions = (own.secureOptions ?? 0) | constants.SSL_OP_NO_RENEGOTIATION;
    const ecdhCurve = keyExchanges(process.versions.openssl);
    const secureContext = tls.createSecureContext({ honorCipherOrder: true, ecdhCurve, ...own, secureOptions });
    return { own, secureContext, madeAt: performance.now() };
  }

  return {
    start(socket: Duplex): TLSSocket {
      if (performance.now() - latest.madeAt >= TICKET_KEY_MS) latest = createContext(latest.own); // with a new key
      return new tls.TLSSocket(socket, { ...fixed, secureContext: latest.secureContext });
    },
    /** Later sockets get this certificate and key. Sessions from before are not resumed. */
    setSecureContext: (context: SecureContextOptions): void => { latest = createContext({ ...context }); },
  };
}

/** Cheap key exchanges. With others, a handshake can cost 200 ms of CPU (Node 20: ffdhe8192). */
export function keyExchanges(openssl: string): string {
  const isNew = openssl.localeCompare('3.5', 'en', { numeric: true }) >= 0;
  return `${isNew ? 'X25519MLKEM768:' : ''}X25519:P-256`; // the first one resists quantum computers
}
