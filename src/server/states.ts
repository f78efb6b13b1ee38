// The states of a connection: all that is said of a state stands in one table.
import type { TimeLimits } from '../http/limits.ts';
import type { Reason } from '../http/refusals.ts';
import type { EndReason } from './interface.ts';

type Row = {
  readonly limit: keyof TimeLimits | undefined; // how long a connection may be in this state. Undefined: there is no limit.
  readonly refused?: Reason; // the refusal of the request when the time is over,
  readonly ended?: EndReason; // or what is reported when the connection is closed then
  readonly consumes: boolean; // whether bytes are consumed. Otherwise they wait or, after the last reply, are discarded.
  readonly isIdle: boolean; // whether nothing is lost when the connection closes, as long as nothing has begun to arrive
  readonly next: readonly State[]; // which states may follow, besides `closed`, which may follow each
};

export type State = 'handshake' | 'idle' | 'head' | 'content' | 'replying' | 'ending' | 'lingering' | 'closed';

export const STATES: { readonly [state in State]: Row } = {
  // the TLS handshake
  handshake: { limit: 'headMs', ended: 'handshakeTooSlow', consumes: true, isIdle: true, next: ['idle', 'ending'] },
  // no request has begun
  idle: { limit: 'idleMs', consumes: true, isIdle: true, next: ['head', 'replying', 'ending'] },
  // the head of a request is arriving
  head: { limit: 'headMs', refused: 'headTooSlow', consumes: true, isIdle: false, next: ['idle', 'content', 'replying', 'ending'] },
  // its content is arriving. The time of the head counts, too.
  content: { limit: 'requestMs', refused: 'requestTooSlow', consumes: true, isIdle: false, next: ['replying', 'ending'] },
  // it is complete, and the reply is not flushed. A last reply leads on to `ending` at once.
  replying: { limit: 'unreadMs', ended: 'replyNotRead', consumes: false, isIdle: false, next: ['idle', 'ending'] },
  // our side is being ended, after the last reply, if any. From here on what the client sends is discarded (RFC 9112 9.6).
  ending: { limit: 'unreadMs', ended: 'replyNotRead', consumes: false, isIdle: false, next: ['lingering'] },
  // our side has ended, and the client's has not
  lingering: { limit: 'lingerMs', ended: 'notClosedByClient', consumes: false, isIdle: false, next: [] },
  closed: { limit: undefined, consumes: false, isIdle: false, next: [] },
};

let changes = 0; // how many changes of state there have been, on all connections together

/** The state of a connection, and how long it has been in it. */
export class CurrentState {
  name: State = 'handshake'; // which is over at once without TLS
  changedAt = changes += 1; // the lower, the longer ago
  #ms = 0; // as counted by `addTime`
  #idleMs = 0; // how long it had been idle when it left `idle`

  /** What the table says of it. */
  get row(): Row { return STATES[this.name]; }

  /** Enters another state, unless it is closed. Returns false if the table does not lead there. */
  enter(next: State): boolean {
    if (this.name === 'closed') return true;
    if (next !== 'closed' && !this.row.next.includes(next)) return false;
    if (this.name === 'idle') this.#idleMs = this.#ms;
    if (this.name === 'head' && next === 'idle') this.#ms += this.#idleMs; // no request has begun: empty lines and records prolong nothing
    else if (next !== 'content') this.#ms = 0; // the limit of `content` is that of the whole request
    this.name = next;
    this.changedAt = changes += 1;
    return true;
  }

  addTime(ms: number): void { this.#ms += ms; }

  /** Whether the time in this state is over. One more sweep is allowed, because the first may come right after the state began. */
  isOverdue(limits: TimeLimits): boolean {
    const { limit } = this.row;
    return limit !== undefined && this.#ms >= limits[limit] + limits.sweepMs;
  }
}
