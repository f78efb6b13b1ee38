// Against DNS rebinding: an attacker's web page can reach the service by the attacker's host name only, which is not
// among the allowed ones.
import { hostName } from './request-target.ts';

/**
 * Makes a function that says whether a legal Host names one of `allowed` (names and IP addresses without a port). Without a
 * Host it returns false.
 */
export function hostCheck(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => hostName(name.includes(':') ? `[${name}]` : name)));
  return (host) => host !== undefined && names.has(hostName(host));
}
