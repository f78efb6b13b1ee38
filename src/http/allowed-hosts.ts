// Against DNS rebinding: an attacker's web page can reach the service by the attacker's host name only, which is not
// among the allowed ones.
import { hostName } from './request-target.ts';

/** Whether a legal Host, or the lack of one, names one of `allowed` (host names and IP addresses without a port). */
export function hostCheck(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => hostName(name.includes(':') ? `[${name}]` : name)));
  return (host = '') => names.has(hostName(host));
}
