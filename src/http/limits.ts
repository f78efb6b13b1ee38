// The limits of a server that are the same wherever it runs. Times are in milliseconds.

export const LIMITS = {
  /**
   * How long a head or a TLS handshake may take. A head is a few hundred bytes: 10 s is enough on the slowest link, and short
   * for a client that sends a byte at a time to hold its connection (Slowloris).
   */
  headMs: 10_000,
  /** How long a whole request may take. Content is 64 KiB at most: 5 s more. */
  requestMs: 15_000,
  /** How long replies may be unread without one of them being written: as long as a whole request may take. */
  unreadMs: 15_000,
  /** How long a client may go on sending after the last reply. */
  lingerMs: 1_000,
  /** How long a connection that has received no byte is kept while the server closes. */
  silentMs: 250,
  /** How often most of the times above are checked. So they can be late by about this much. */
  sweepMs: 1_000,
  /** Over TLS: how many bytes a client may send in `sweepMs` without data (time-limits.ts). */
  tlsOverheadBytes: 64 * 1024,
  /**
   * The most queued replies at once. The same limit, counted separately, is for requests that come after the last one on their
   * connection. Each takes 7 KiB, and one with a large head counts as several (backlog.ts). A connection may have 2,700
   * before node stops reading it.
   */
  maxBacklog: 5_000,
  /**
   * How many requests of cut-off connections node may keep. Each takes 7 KiB, too. The count begins again at 0 when all cut-off
   * connections have closed. With more, the other connections are paused until then.
   */
  maxKeptRequests: 1_000,
};

export type Limits = { readonly [name in keyof typeof LIMITS]: number };
