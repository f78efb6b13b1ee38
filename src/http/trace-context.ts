// W3C Trace Context Level 1: the id that ties a request's log lines and its reply to the trace of its caller.

// Section 3.2: the version ff is invalid, and so is an id that has nothing but zeros. Section 3.2.4: what a later version
// adds to the 55 characters of version 00 follows a dash.
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:-[^,]*)?$/;
const SAMPLED = 1;

/** A new `traceparent` with a new parent-id, in the trace of `parent` and sampled like it, if that is valid, or else in a new trace. */
export function childTraceparent(parent = ''): string {
  const [, traceId = newDigits(), flags = '00'] = TRACEPARENT.exec(parent) ?? [];
  return `00-${traceId}-${newDigits().slice(16)}-0${Number.parseInt(flags, 16) & SAMPLED}`; // section 3.2.2
}

// 32 hex digits. The half that is used as a parent-id begins with the variant of the UUID (RFC 9562 4.1), so neither id has only zeros.
const newDigits = () => crypto.randomUUID().replaceAll('-', '');
