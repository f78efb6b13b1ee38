// How the content of a request is gathered.

/** Puts `part` into `content` at `at`, where it ends within `maxBytes`. Returns `content`, or a longer copy of it. */
export function put(part: Buffer, content: Buffer, at: number, maxBytes: number): Buffer {
  const end = at + part.length;
  // To keep the parts would take 200 times as much memory if a client sends each byte in a chunk of its own.
  const target = end <= content.length ? content : Buffer.concat([content], Math.min(2 * end, maxBytes));
  part.copy(target, at);
  return target;
}
