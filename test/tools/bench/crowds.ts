// The crowds of `--crowd`, with fewer clients than MAX_CONNECTIONS and, except for `ClientHello`, nothing but legal requests; and those of
// `--attack`.
import { ATTACKS } from './attacks.ts';
import type { WAIT_BOUNDS } from './bounds.ts';
import { ALL, ONE, type HonestSet } from './honest.ts';

/** Clients that do the same at the same time. */
export type Crowd = {
  readonly work: string; // its name in `WORK`
  readonly clients: number; // how many they are
  readonly addresses: number; // from how many they come
  /** The honest clients that are measured meanwhile, and which bounds of their waits hold. */
  readonly honest: HonestSet;
  readonly judged: keyof typeof WAIT_BOUNDS;
  readonly peak: number; // how much memory the server may take at most, in MiB
  readonly heap: number; // of the server, in MiB
};

/** 100 clients for each attack, by its name. */
export const ATTACKERS: ReadonlyMap<string, Crowd> = new Map(
  Array.from(ATTACKS.keys(), (attack) => [attack, crowd('attack', 256, attack, 100)]));

/** The crowds, by name. */
export const CROWDS: ReadonlyMap<string, Crowd> = new Map([
  ['short requests', crowd('one address', 256, 'short', 900)],
  ['chunks', crowd('one address', 256, 'chunks', 900)],
  ['addresses, short', crowd('an address each, short work', 150, 'short', 900, 900)],
  ['addresses, chunks', crowd('an address each, short work', 150, 'chunks', 900, 900)],
  ['addresses, heads', crowd('an address each', 200, 'heads', 900, 900)],
  ['addresses, content', crowd('an address each', 256, 'content', 900, 900)],
  ['addresses, TLS heads', crowd('an address each', 250, 'TLS heads', 900, 900)],
  ['handshakes', crowd('handshakes', 256, 'handshakes', 900)],
  ['ClientHello', crowd('attack', 256, 'ClientHello', 100)],
  ['memory', { ...crowd('memory', 256, 'pipelined TLS', 950), heap: 128 }],
]);

function crowd(judged: Crowd['judged'], peak: number, work: string, clients: number, addresses = 1): Crowd {
  return { work, clients, addresses, honest: judged === 'attack' ? ONE : ALL, judged, peak, heap: 256 };
}
