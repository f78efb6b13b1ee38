// Finds where the whole replies end, in bytes that may end with an incomplete reply.

/** How many of `bytes` belong to whole replies. */
export function wholeLength(bytes: Buffer): number {
  for (let at = 0; ; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) return at;
    const length = /\r\nContent-Length: (\d+)\r\n/.exec(bytes.toString('latin1', at, headEnd + 2))?.[1];
    const end = headEnd + 4 + Number(length ?? 0);
    if (end > bytes.length) return at;
    at = end;
  }
}
