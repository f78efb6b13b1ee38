// TLS on a connection. A `tls.Server` would make its sockets itself, with a high-water mark that is too high for a tap.
import { constants, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket, type SecureContextOptions, type TLSSocketOptions } from 'node:tls';
import { HIGH_WATER_MARK } from './tap.ts';

// A connection may bring 4 bytes for each of its content, 64 KiB more, and 1 more in each ms: for ever, a WebSocket may
// bring frames of a few bytes, each in a record of its own.
const OVERHEAD = 4;
const OVERHEAD_BYTES = 64 * 1024;
const OVERHEAD_BYTES_PER_MS = 1;

// RFC 9325 3.4: whoever gets the key of tickets can decrypt what was sent over TLS 1.2 while it was in use.
const TICKET_KEY_MS = 12 * 60 * 60 * 1000;

/** As for `tls.createServer`, but there are no certificates of clients, and no renegotiation. */
export type TlsOptions = SecureContextOptions & Pick<TLSSocketOptions, 'ALPNProtocols' | 'SNICallback'>;

/** Starts TLS on sockets. Throws if it is to verify certificates of clients: only a `tls.Server` does that. */
export function createTls({ ALPNProtocols = ['http/1.1', 'http/1.0'], SNICallback, ...options }: TlsOptions) {
  if ('requestCert' in options) throw new TypeError('Certificates of clients cannot be requested.');
  // RFC 7301 3.2: a client that speaks only HTTP/2 is refused.
  const fixed = { isServer: true, ALPNProtocols, SNICallback, highWaterMark: HIGH_WATER_MARK };
  let latest = createContext(options);
  return {
    start: (socket: Duplex) => new TLSSocket(socket, { ...fixed, secureContext: latest.secureContext }),
    /** Later sockets get this certificate and key. Sessions from before are not resumed. */
    setSecureContext(context: SecureContextOptions): void {
      latest = createContext(context);
    },
    /** To be called again and again: when it is 12 hours old, the key of tickets is renewed. */
    renewTicketKey(): void {
      if (performance.now() - latest.madeAt >= TICKET_KEY_MS) latest = createContext(latest.options);
    },
  };
}

// As with `tls.createServer`, the server chooses the cipher. In TLS 1.2, clients cannot renegotiate (RFC 9325 3.5): one
// could do so hundreds of times in a second.
function createContext(options: SecureContextOptions) {
  const secureOptions = (options.secureOptions ?? 0) | constants.SSL_OP_NO_RENEGOTIATION;
  const all = { honorCipherOrder: true, ticketKeys: randomBytes(48), ...options, secureOptions };
  return { options, secureContext: createSecureContext(all), madeAt: performance.now() };
}

/** What a connection brings beyond its content: records of a byte bring 23 times that. */
export class Overhead {
  #bytes = 0;
  #content = 0;
  #wasted = 0;

  /** To be called every `ms` milliseconds: whether a connection that has brought so many bytes wastes too many. */
  isTooMuch(ms: number, bytes: number, content = 0): boolean {
    const more = bytes - this.#bytes - OVERHEAD * (content - this.#content);
    this.#bytes = bytes;
    this.#content = content;
    this.#wasted = Math.max(0, this.#wasted + more - OVERHEAD_BYTES_PER_MS * ms);
    return this.#wasted > OVERHEAD_BYTES;
  }
}
