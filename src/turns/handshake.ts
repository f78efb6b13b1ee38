// TLS on a connection. A `tls.Server` would make its sockets itself, with a high-water mark that is too high for a tap.
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket, type SecureContextOptions, type TLSSocketOptions } from 'node:tls';
import { HIGH_WATER_MARK } from './tap.ts';

// A connection may bring 4 bytes for each of its content, 64 KiB more, and 1 more in each ms: for ever, a WebSocket may
// bring frames of a few bytes, each in a record of its own.
const OVERHEAD = 4;
const OVERHEAD_BYTES = 64 * 1024;
const OVERHEAD_BYTES_PER_MS = 1;

/** As for `tls.createServer`, but there are no certificates of clients. */
export type TlsOptions = SecureContextOptions & Pick<TLSSocketOptions, 'ALPNProtocols' | 'SNICallback'>;

/** Starts TLS on sockets. Throws if it is to verify certificates of clients: only a `tls.Server` does that. */
export function createTls({ ALPNProtocols, SNICallback, ...options }: TlsOptions) {
  if ('requestCert' in options) throw new TypeError('Certificates of clients cannot be requested.');
  const fixed = { isServer: true, ALPNProtocols, SNICallback, highWaterMark: HIGH_WATER_MARK };
  let secureContext = createSecureContext(options);
  return {
    start: (socket: Socket) => new TLSSocket(socket, { ...fixed, secureContext }),
    /** Later sockets get this certificate and key. */
    setSecureContext(context: SecureContextOptions): void {
      secureContext = createSecureContext(context);
    },
  };
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
