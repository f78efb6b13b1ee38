// How much a request may contain, and how long things may take. A request with more is refused.

export const SIZE_LIMITS = {
  headBytes: 16 * 1024, // a head has fewer bytes than this, including the empty lines before it. The same goes for a request line.
  fieldLines: 100, // of a head. Browsers send about 20.
  contentBytes: 64 * 1024, // every byte is discarded: no endpoint wants any
  framingBytes: 16 * 1024, // all chunk sizes, chunk extensions and trailers of a request together
  chunkLineBytes: 1024, // a chunk size with its extensions
};

/** In milliseconds. How long a connection may be idle is configured. */
export const TIME_LIMITS = {
  headMs: 10_000, // how long a head or a TLS handshake may take, even if its client sends a byte at a time (Slowloris)
  requestMs: 15_000, // how long a whole request may take: 5 s more than a head, because content is at most 64 KiB
  unreadMs: 15_000, // how long a reply may wait to be flushed: as long as a whole request may take
  lingerMs: 1_000, // how long a client may keep its side open after the last reply
  discardMs: 1, // how often a server discards one read of what clients send after their last replies. More often would make others wait.
  closeIdleMs: 250, // how long, when the server closes, idle connections are kept, and waiting ones accepted
  sweepMs: 1_000, // how often these times are checked: a connection may last longer by up to twice this much, and never ends early
};

export type TimeLimits = { readonly [name in keyof typeof TIME_LIMITS | 'idleMs']: number };
