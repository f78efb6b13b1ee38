// Parses the replies of any HTTP/1.1 server: field names in any case and order, and content with a length, in chunks,
// or up to the end of the connection (RFC 9112 6.3). What arrives later is parsed by another call.

export type Reply = {
  readonly statusLine: string;
  readonly status: number;
  /** The field lines as received, in order: `Name: value`. A well-formed date is replaced by `Date: now`. */
  readonly headers: readonly string[];
  readonly body: string;
};

/** Replies, and the bytes after them: part of a reply, or no HTTP. */
export type Replies = { readonly replies: readonly Reply[]; readonly rest: Buffer };

/** The replies in `bytes`. `ended`: no more will come. `toHead`: the first one answers a HEAD, so it has no content. */
export function repliesIn(bytes: Buffer, { ended = false, toHead = false } = {}): Replies {
  const first = readReply(bytes, ended, toHead);
  if (first === undefined) return { replies: [], rest: bytes };
  const { replies, rest } = repliesIn(bytes.subarray(first.length), { ended });
  return { replies: [first.reply, ...replies], rest };
}

/** The value of a field; undefined: there is none. Several lines of one name are joined by commas (RFC 9110 5.2). */
export function field({ headers }: Pick<Reply, 'headers'>, name: string): string | undefined {
  const start = `${name}:`.toLowerCase();
  const lines = headers.filter((line) => line.slice(0, start.length).toLowerCase() === start);
  const values = lines.map((line) => line.slice(start.length).replace(/^[ \t]+|[ \t]+$/g, ''));
  return lines.length === 0 ? undefined : values.join(', ');
}

// Each of these returns undefined if the bytes are incomplete, or not what they should be. `length` is that of all
// bytes that it has read, with the framing.
function readReply(bytes: Buffer, ended: boolean, toHead: boolean) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [, code] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine) ?? [];
  if (code === undefined || !lines.every((line) => /^[^\s:]+:/.test(line))) return undefined;
  const headers = lines.map((line) => line.replace(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/, 'Date: now'));
  const head = { statusLine, status: Number(code), headers };
  const content = readContent(head, bytes.subarray(headEnd + 4), ended, toHead);
  return content && { reply: { ...head, body: content.body.toString() }, length: headEnd + 4 + content.length };
}

function readContent(head: Omit<Reply, 'body'>, bytes: Buffer, ended: boolean, toHead: boolean) {
  if (toHead || head.status < 200 || [204, 304].includes(head.status)) return { body: Buffer.alloc(0), length: 0 };
  if (/(^|,)\s*chunked$/i.test(field(head, 'transfer-encoding') ?? '')) return readChunks(bytes);
  const declared = field(head, 'content-length') ?? (ended ? String(bytes.length) : '');
  const length = /^\d+$/.test(declared) ? Number(declared) : Infinity;
  return length <= bytes.length ? { body: bytes.subarray(0, length), length } : undefined;
}

// RFC 9112 7.1
function readChunks(bytes: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const [, digits = ''] = /^([\da-f]+)[ \t]*(?:;.*)?$/i.exec(bytes.toString('latin1', at, lineEnd)) ?? [];
    const size = Number.parseInt(digits, 16);
    if (size === 0) {
      const end = bytes.indexOf('\r\n\r\n', lineEnd); // there may be trailer fields before it
      return end === -1 ? undefined : { body: Buffer.concat(chunks), length: end + 4 };
    }
    const end = lineEnd + 2 + size;
    if (lineEnd === -1 || bytes.toString('latin1', end, end + 2) !== '\r\n') return undefined;
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
