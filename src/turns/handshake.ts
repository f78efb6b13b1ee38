// TLS on a connection. A `tls.Server` would make its sockets itself, with a high-water mark that is too high for a tap.
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket, type SecureContextOptions, type TLSSocketOptions } from 'node:tls';
import { HIGH_WATER_MARK } from './tap.ts';

const OVERHEAD_BYTES = 64 * 1024;
const OVERHEAD = 4;

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

/** Whether a connection that has brought so many bytes wastes them: records of a byte bring 23 times their content. */
export function isOverhead(bytes: number, content = 0): boolean {
  return bytes > Math.max(OVERHEAD_BYTES, OVERHEAD * content);
}
