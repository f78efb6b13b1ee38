// W3C Trace Context Level 1: the id that ties a request's log lines and its reply to the trace of its client.
import { randomFillSync } from 'node:crypto';

// Section 3.2: the version ff is invalid, and so is an id of zeros alone; version 00 has no more than 55 characters.
// Section 3.2.4: what a later version adds follows a dash. A comma means that Node has joined two such headers.
const TRACEPARENT = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(?:-[^,]*)?$/;
const SAMPLED = 1;

/** A new `traceparent`: in the trace of the `received` one and sampled like it, if that is valid; else in a new one. */
export function childTraceparent(received: unknown): string {
  const valid = TRACEPARENT.exec(String(received));
  const [, traceId = randomId(16), flags = '00'] = valid ?? [];
  return `00-${traceId}-${randomId(8)}-0${Number.parseInt(flags, 16) & SAMPLED}`; // section 3.2.2
}

const random = Buffer.alloc(3_072);
let used = random.length;

// Faster: the bytes of many ids are made together. Those of one would take 4 µs, and two UUIDs 0.8. Zeros alone, which
// are no id, are as good as impossible.
function randomId(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += bytes;
  return random.toString('hex', used - bytes, used);
}
