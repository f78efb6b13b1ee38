// How large and how slow requests may be.

export const HEAD_BYTES = 16 * 1024;
export const FIELD_LINES = 100; // in a head; browsers send about 20
export const DISCARDED_BYTES = 64 * 1024; // the most content that is read where a route wants none

export const HANDLER_MS = 30_000; // for a handler, and its wait for a seat, if its route does not say

// In milliseconds. Node checks the first two once a second. `server.timeout` stays 0: handlers have their own limit.
export const TIME_LIMITS = {
  headersTimeout: 10_000, // for a head, even if its client sends a byte at a time (Slowloris)
  requestTimeout: 15_000, // for a whole request
  connectionsCheckingInterval: 1_000,
};
