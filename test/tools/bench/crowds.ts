// The crowds of `--crowd`: clients at work, with nothing but legal requests, and fewer of them than MAX_CONNECTIONS.
import type { Group } from './beside.ts';
import type { CROWD_BOUNDS } from './bounds.ts';

export type Crowd = {
  readonly groups: readonly Group[];
  /** Which bounds of the waits hold, in `CROWD_BOUNDS`, or that the memory has one instead. */
  readonly judged: keyof typeof CROWD_BOUNDS | 'memory';
  /** The option of node that bounds the heap of the server. */
  readonly heap: string;
};

/** The crowds beside which honest clients are measured, by name. */
export const CROWDS: ReadonlyMap<string, Crowd> = new Map([
  ['short requests', crowd('one address', ['short', 900])],
  ['chunks', crowd('one address', ['chunks', 900])],
  ['TLS', crowd('one address', ['TLS', 900])],
  ['mix of 450 and 450', crowd('one address', ['short', 450], ['chunks', 450])],
  ['mix of 450 and 500', crowd('one address', ['short', 450], ['chunks', 500])],
  ['few chunks', crowd('one address', ['chunks', 100])],
  ['addresses, short', crowd('an address each', ['short', 900, 900])],
  ['addresses, chunks', crowd('an address each', ['chunks', 900, 900])],
  ['addresses, TLS', crowd('an address each', ['TLS', 900, 900])],
  ['handshakes', crowd('handshakes', ['handshakes', 900])],
  ['memory', { ...crowd('memory', ['pipelined TLS', 950]), heap: '--max-heap-size=128' }],
]);

function crowd(judged: Crowd['judged'], ...groups: readonly (readonly [attack: string, clients: number, addresses?: number])[]): Crowd {
  const all = groups.map(([attack, clients, addresses = 1]) => ({ attack, clients, addresses }));
  return { groups: all, judged, heap: '--max-heap-size=256' };
}
