// TLS on a connection. A `tls.Server` would make its sockets itself, with a high-water mark that is too high for a tap.
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket, type SecureContextOptions, type TLSSocketOptions } from 'node:tls';
import { HIGH_WATER_MARK } from './tap.ts';

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
