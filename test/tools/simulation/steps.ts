// The steps of a sequence. Each can be left out, and the others still have a meaning.
import type { Part } from '../../support/sequences/part.ts';

/** What a client does. */
export type ClientStep =
  /** Sends requests, but not the last `held` bytes of them. */
  | { readonly kind: 'send'; readonly parts: readonly Part[]; readonly held: number }
  /** Sends so many more bytes of a request. */
  | { readonly kind: 'more'; readonly bytes: number }
  | { readonly kind: 'read' | 'stop reading' }
  | { readonly kind: 'read some'; readonly bytes: number }
  /** Ends the client's side. */
  | { readonly kind: 'end' }
  | { readonly kind: 'close' | 'reset' };

export type ServiceStep =
  | { readonly kind: 'pass'; readonly ms: number }
  /** Time passes until the service does something. */
  | { readonly kind: 'next limit' }
  | { readonly kind: 'drain' }
  /** The service drains, and closes. */
  | { readonly kind: 'stop' }
  /** The time for that is over. */
  | { readonly kind: 'cut' };

/** A step, and how many turns of the event loop follow it. */
export type Step = (ServiceStep | (ClientStep & { /** Connects when it has not done so. */ readonly client: number })) & { readonly turns: number };

/** What is known before the first step. */
export type Surroundings = {
  readonly maxConnections: number;
  /** How many addresses the clients have, in turn. */
  readonly addresses: number;
  /** How many bytes the kernel takes for a client that does not read. */
  readonly room: number;
};

export type Sequence = { readonly surroundings: Surroundings; readonly steps: readonly Step[] };

/** The limits of the service, all different, and short, so that a sequence is over soon. */
export const LIMITS = { idleMs: 6_000, headMs: 3_000, requestMs: 4_000, unreadMs: 5_000, lingerMs: 2_000, silentMs: 250, sweepMs: 1_000 };

/** The longest that a connection can last after its client has gone quiet: a connection is swept once more after each limit. */
export const LONGEST_MS = Object.values(LIMITS).reduce((sum, ms) => sum + ms, 0) + 6 * LIMITS.sweepMs;

/** A step in a few words, for the report of a failure. */
export function describeStep(step: Step): string {
  const { turns, ...what } = step;
  const shown = (_name: string, value: unknown) => (typeof value === 'string' && value.length > 200 ? `${value.slice(0, 200)}… (${value.length} bytes)` : value);
  return `${JSON.stringify(what, shown)} and ${turns} turns`;
}
