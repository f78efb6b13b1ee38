// Against DNS rebinding: an attacker's web page can reach the service by the attacker's host name only, which is not an allowed one.
import { hostName } from './request-target.ts';

/** Says whether requests for a host are answered. `isHttps`: the target has the scheme https. */
export type IsAllowed = (host: string | undefined, isHttps: boolean) => boolean;

/** Returns a function that says whether a legal Host names one of `allowed` (names and IP addresses without a port). No Host names none. */
export function hostCheck(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => hostName(name.includes(':') ? `[${name}]` : name)));
  return (host) => host !== undefined && names.has(hostName(host));
}
