// The time limits of a server, in milliseconds, except those that are configured, and the states of a connection that they apply to.
import type { EndReason } from './reports.ts';

export const LIMITS = {
  headMs: 10_000, // how long a head or a TLS handshake may take, even if its client sends a byte at a time (Slowloris)
  requestMs: 15_000, // how long a whole request may take: 5 s more than a head, because content is at most 64 KiB
  unreadMs: 15_000, // how long a reply may wait to be flushed: as long as a whole request may take
  lingerMs: 1_000, // how long a client may keep its side open after the last reply
  discardMs: 1, // how often a server discards one read of what clients send after their last replies. More often would make others wait.
  silentMs: 250, // how long a connection that has received nothing is kept while the server closes
  sweepMs: 1_000, // how often these times are checked: a connection may last longer by up to twice this much, and never ends early
};

/** All limits: those above, and `idleMs`, how long a connection may be idle, which is configured. */
export type Limits = { readonly [name in keyof typeof LIMITS | 'idleMs']: number };

export type State =
  | 'idle' // no request has begun
  | 'receiving' // a request is arriving
  | 'replying' // the request is complete, and its reply is not flushed. A last reply leads on to `ending` at once.
  | 'ending' // our side is being ended, after the last reply, if any. From here on what the client sends is discarded (RFC 9112 9.6).
  | 'lingering' // the last reply is flushed and our side has ended, but the client's has not
  | 'closed';

/** How long a connection may be in `state`. `isReady`: no TLS handshake is going on. `hasHead`: the head of its request has arrived. */
export function limitOf(state: State, isReady: boolean, hasHead: boolean, limits: Limits): number {
  const { idleMs, headMs, requestMs, unreadMs, lingerMs } = limits;
  return {
    idle: isReady ? idleMs : headMs,
    receiving: hasHead ? requestMs : headMs,
    replying: unreadMs,
    ending: unreadMs,
    lingering: lingerMs,
    closed: Infinity,
  }[state];
}

/** Why a connection that has been in `state` (not `receiving`) for too long ends. Undefined: it was idle, which is no fault. */
export function timeoutReasonOf(state: State, isReady: boolean): EndReason | undefined {
  if (state === 'idle') return isReady ? undefined : 'handshakeTooSlow';
  return state === 'lingering' ? 'notClosedByClient' : 'replyNotRead';
}
