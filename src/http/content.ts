// The content of a request, in one buffer. A client may send each byte in a chunk of its own, and Node makes a Buffer
// of each: to keep these would take 200 times as much memory.

/**
 * Puts `part` into `content` at `at`, where it ends within `maxBytes`. Returns `content`, or a copy with more room if
 * `part` did not fit.
 */
export function put(part: Buffer, content: Buffer, at: number, maxBytes: number): Buffer {
  const end = at + part.length;
  const newLength = Math.min(2 * end, maxBytes); // twice, so that there are few copies
  const target = end <= content.length ? content : Buffer.concat([content], newLength);
  part.copy(target, at);
  return target;
}
