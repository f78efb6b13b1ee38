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
      get(this: InPlace) { return memberOf(this.socket, name, this); },
      set(this: InPlace, value) { Object.defineProperty(this, name, { value, writable: true }); },
    });
  }
}

/** Returns that member of `real`. Where a function returns `real`, as `ref` does, `inPlace` is returned. */
export function memberOf(real: object, name: string, inPlace: object): unknown {
  const member: unknown = Reflect.get(real, name);
  if (typeof member !== 'function') return member;
  return (...args: unknown[]): unknown => {
    const result: unknown = Reflect.apply(member, real, args);
    return result === real ? inPlace : result;
  };
}
