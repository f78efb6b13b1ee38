// W3C Trace Context Level 1: the id that ties a request's log lines and its reply to the trace of its client.

let crypto: typeof import('node:crypto') | undefined; // loaded when it is first needed: it would delay the start

// Section 3.2: the version ff is invalid, and so is an id of zeros alone; version 00 has no more than 55 characters.
// Section 3.2.4: what a later version adds follows a dash. A comma means that Node has joined two such headers.
const TRACEPARENT = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(?:-[^,]*)?$/;

/** A new `traceparent`: in the trace of the `received` one and sampled like it, if that is valid; else in a new one. */
export function childTraceparent(received: unknown): string {
  const valid = TRACEPARENT.exec(String(received));
  crypto ??= process.getBuiltinModule('node:crypto');
  const id = crypto.randomUUID().replaceAll('-', '');
  const [, traceId = id, flags = '00'] = valid ?? [];
  // The last 16 digits of a UUID begin with its variant (RFC 9562 4.1), so neither id has only zeros. In a new trace,
  // both are from one UUID: that takes half the time, and within a trace the parent id is as unique as with two.
  return `00-${traceId}-${id.slice(16)}-0${Number.parseInt(flags, 16) & 1}`; // section 3.2.2: sampled or not
}
