// What may be asked of a socket, for a stream that stands in its place.
import type { Socket } from 'node:net';

type InPlace = { readonly socket: Socket };

// From `encrypted` on, they are those of a TLSSocket.
const MEMBERS = [
  'localAddress', 'localPort', 'localFamily', 'connecting', 'pending', 'readyState', 'address', 'setNoDelay',
  'setKeepAlive', 'ref', 'unref', 'resetAndDestroy', 'encrypted', 'authorized', 'authorizationError', 'alpnProtocol',
  'servername', 'getCipher', 'getProtocol', 'getPeerCertificate', 'getPeerX509Certificate', 'isSessionReused',
];

/** Gives streams with this prototype the members of their `socket`. They can be replaced. */
export function addSocketMembers(prototype: InPlace): void {
  for (const name of MEMBERS) {
    Object.defineProperty(prototype, name, {
      get(this: InPlace) { return memberOf(this, name); },
      set(this: InPlace, value) { Object.defineProperty(this, name, { value, writable: true }); },
    });
  }
}

// Where a function of the socket returns that, as `setNoDelay` does, the stream is returned.
function memberOf(stream: InPlace, name: string): unknown {
  const { socket } = stream;
  const member: unknown = Reflect.get(socket, name);
  if (typeof member !== 'function') return member;
  return (...args: unknown[]): unknown => {
    const result: unknown = Reflect.apply(member, socket, args);
    return result === socket ? stream : result;
  };
}
