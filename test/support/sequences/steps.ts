// The steps of a sequence. Each can be left out, and the others still have a meaning. A player says how a step is carried out.
import type { Part } from './part.ts';

/** What a client does. */
export type ClientStep =
  // sends the rest of a request, and then requests, except the last `held` bytes of them
  | { readonly kind: 'send'; readonly parts: readonly Part[]; readonly held: number; readonly pieces: number }
  | { readonly kind: 'more'; readonly bytes: number; readonly pieces: number } // that many more bytes of a request
  // `wait`: until the service has replied to each whole request, or does nothing more. `end`: the client's side.
  | { readonly kind: 'read' | 'stop reading' | 'wait' | 'end' | 'reset' };

export type ServiceStep =
  | { readonly kind: 'pass'; readonly ms: number }
  // `stop`: it drains, and closes. `cut`: the time for that is over.
  | { readonly kind: 'drain' | 'stop' | 'cut' };

/** A step, and how many iterations of the event loop follow it. */
export type Step = (ServiceStep | OfClient) & { readonly iterations: number };
type OfClient = ClientStep & { readonly client: number }; // it connects when it has not done so

/** What is known before the first step. */
export type Surroundings = {
  readonly maxConnections: number;
  readonly addresses: number; // how many addresses the clients have, in turn
  readonly room: number; // how many bytes the kernel takes for a client that does not read
  readonly isSecure: boolean; // over TLS, in which each piece is a record
  readonly turnCost: number; // what the reads of an iteration of the event loop may cost: 1 is one piece
};

export type Sequence = { readonly surroundings: Surroundings; readonly steps: readonly Step[] };

/** In one piece. */
export const WHOLE = Infinity;

/** Sends these requests, each to its end, in one piece. */
export const send = (...parts: readonly Part[]): ClientStep => ({ kind: 'send', parts, held: 0, pieces: WHOLE });

/** Whether a step is one of a client. */
export function isOfClient<T extends ClientStep | ServiceStep>(step: T): step is Exclude<T, ServiceStep> {
  return !['pass', 'drain', 'stop', 'cut'].includes(step.kind);
}

/** The limits of the service, all different, and short, so that a sequence is over soon. */
export const LIMITS = { idleMs: 6_000, headMs: 3_000, requestMs: 4_000, unreadMs: 5_000, lingerMs: 2_000, silentMs: 250, sweepMs: 1_000 };

/** The longest that a connection can last after its client has gone quiet: a connection is swept once more after each limit. */
export const LONGEST_MS = Object.values(LIMITS).reduce((sum, ms) => sum + ms, 0) + 6 * LIMITS.sweepMs;

/** A sequence, for the report of a failure: a step in each line. */
export function describeSequence({ surroundings, steps }: Sequence): string {
  const short = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}… (${text.length} bytes)` : text);
  const shown = (_name: string, value: unknown) => (typeof value === 'string' ? short(value) : value);
  const lines = steps.map(({ iterations, ...what }) => `${JSON.stringify(what, shown)} and ${iterations} iterations`);
  return [JSON.stringify(surroundings), ...lines].join('\n  ');
}
