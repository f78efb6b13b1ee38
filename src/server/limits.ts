// The limits of a server, but for those that are configured. Times are in milliseconds.

export const LIMITS = {
  /** How long a head or a TLS handshake may take, also when its client sends a byte at a time (Slowloris). */
  headMs: 10_000,
  /** How long a whole request may take. Content is 64 KiB at most: 5 s more. */
  requestMs: 15_000,
  /** How long a reply may be unread: as long as a whole request may take. */
  unreadMs: 15_000,
  /** How long a client may go on sending after the last reply. */
  lingerMs: 1_000,
  /** How long a connection that has received no byte is kept while the server closes. */
  silentMs: 250,
  /** How often these times are checked: a connection may last longer by up to twice this much, and never ends early. */
  sweepMs: 1_000,
};

export type Limits = { readonly [name in keyof typeof LIMITS]: number } & {
  /** How long a connection may be idle. */
  readonly idleMs: number;
};
