// W3C Trace Context Level 1: the id of a request, by which a log line and a reply are found in the trace of the caller.

// Section 3.2: the version ff is invalid, and so is an id that has nothing but zeros. Section 3.2.4: what a later version
// adds follows a dash.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/**
 * A new `traceparent` with a new span id. When `parent` is a valid `traceparent`, the trace id and the sampled flag are
 * taken from it; otherwise a new trace begins.
 */
export function childTraceparent(parent: string | undefined): string {
  const [, version, parentTraceId, flags = '', more] = TRACEPARENT.exec(parent ?? '') ?? [];
  const spanId = randomHex(16);
  // Section 3.2.2: version, trace id, span id, flags.
  if (parentTraceId === undefined || (version === '00' && more !== undefined)) return `00-${randomHex(32)}-${spanId}-00`;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return `00-${parentTraceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

// Faster: one call makes random digits for many ids, 0.5 of a bare server for a 400. The module is loaded for the first id,
// because loading it would make the start longer. Only 2 KiB: an id that is kept in memory keeps all the digits there.
let unused = '';

function randomHex(length: number): string {
  if (unused.length < length) unused = process.getBuiltinModule('node:crypto').randomBytes(2048).toString('hex');
  const digits = unused.slice(0, length);
  unused = unused.slice(length);
  return digits;
}
