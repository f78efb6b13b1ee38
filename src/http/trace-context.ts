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
  const [, version, parentTraceId, flags = '', more] = parent?.match(TRACEPARENT) ?? [];
  const ids = randomDigits();
  const spanId = ids.slice(32);
  // Section 3.2.2: version, trace id, span id, flags.
  if (parentTraceId === undefined || (version === '00' && more !== undefined)) return `00-${ids.slice(0, 32)}-${spanId}-00`;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return `00-${parentTraceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

const ID_BYTES = 24; // of a trace id and a span id
const unused: string[] = [];

// Faster: random digits for many requests are made at once, 0.5 of a bare server for a 400. The module is loaded for the first of
// them, because loading it would make the start longer.
function randomDigits(): string {
  const digits = unused.pop();
  if (digits !== undefined) return digits;
  const bytes = process.getBuiltinModule('node:crypto').randomBytes(512 * ID_BYTES);
  for (let i = ID_BYTES; i < bytes.length; i += ID_BYTES) unused.push(bytes.toString('hex', i, i + ID_BYTES));
  return bytes.toString('hex', 0, ID_BYTES);
}
