// Against DNS rebinding: a web page can reach us by a name of its own, but not by one of ours.
import { hostName } from './request-target.ts';

/** Whether a legal Host, or the lack of one, names one of `allowed` (host names and IP addresses without a port). */
export function hostCheck(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => hostName(name.includes(':') ? `[${name}]` : name)));
  return (host = '') => names.has(hostName(host));
}
