// The steps of a sequence. Each can be left out, and the others still have a meaning.
import type { Part } from './requests.ts';

/** What a client does. It connects when it has not done so. */
export type ClientStep = { readonly client: number } & (
  // sends the rest of a request, and then requests, except the last `held` bytes of them
  | { readonly kind: 'send'; readonly parts: readonly Part[]; readonly held: number; readonly pieces: number }
  | { readonly kind: 'more'; readonly bytes: number; readonly pieces: number } // that many more bytes of a request
  | { readonly kind: 'read' | 'stop reading' | 'end' | 'reset' } // `end`: its side
);

export type ServiceStep =
  | { readonly kind: 'pass'; readonly ms: number } // what can be done by then is done,
  | { readonly kind: 'reach'; readonly ms: number } // or all but what is due at the end
  | { readonly kind: 'drain' | 'stop' | 'cut' }; // `stop`: it drains, and closes. `cut`: the time for that is over.

/** A step, and how many iterations of the event loop follow it. */
export type Step = (ClientStep | ServiceStep) & { readonly iterations: number };

/** What is known before the first step. */
export type Surroundings = {
  readonly maxConnections: number;
  readonly addresses: number; // how many addresses the clients have, in turn
  readonly room: number; // how many bytes the kernel takes for a client that does not read
  readonly isSecure: boolean; // over TLS, in which each piece is a record
  readonly turnCost: number; // what the pieces of an iteration of the event loop may cost: 1 is one piece
};

export type Sequence = { readonly surroundings: Surroundings; readonly steps: readonly Step[] };

/** In one piece. */
export const WHOLE = Infinity;

/** The limits of the service, all different, and short, so that a sequence is over soon. */
export const LIMITS = {
  idleMs: 6_000, headMs: 3_000, requestMs: 4_000, unreadMs: 5_000, lingerMs: 2_000, closeIdleMs: 250, sweepMs: 1_000,
};

/** The longest that a connection can last after its client has gone quiet: a connection is swept once more after each limit. */
export const LONGEST_MS = Object.values(LIMITS).reduce((sum, ms) => sum + ms, 0) + 6 * LIMITS.sweepMs;

/** A sequence, for the report of a failure: a step in each line. */
export function describeSequence({ surroundings, steps }: Sequence): string {
  const short = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}… (${text.length} bytes)` : text);
  const shown = (_name: string, value: unknown) => (typeof value === 'string' ? short(value) : value);
  return [surroundings, ...steps].map((line) => JSON.stringify(line, shown)).join('\n  ');
}
