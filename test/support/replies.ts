// Parses the replies of any HTTP/1.1 server: field names in any case and order, and content with a length, in chunks, or up to the end of
// the connection (RFC 9112 6.3). What arrives later is parsed by another call, of `rest` and the new bytes.

export type Reply = {
  readonly statusLine: string;
  readonly status: number;
  /** The field lines as received, in order: `Name: value`. A well-formed date is replaced by `Date: now`. */
  readonly headers: readonly string[];
  readonly body: string;
};

export type Replies = {
  readonly replies: readonly Reply[];
  /** The bytes after them: part of a reply, or no HTTP. */
  readonly rest: Buffer;
  /** Why `rest` is not the start of a reply; undefined: it may be one. */
  readonly fault: string | undefined;
};

/** The replies in `bytes`. `ended`: no more bytes will come. `toHead`: the first reply answers a HEAD, so it has no content. */
export function repliesIn(bytes: Buffer, { ended = false, toHead = false } = {}): Replies {
  const replies: Reply[] = [];
  for (let at = 0; ;) {
    const rest = bytes.subarray(at);
    const read = readReply(rest, ended, toHead && replies.length === 0);
    if (typeof read !== 'object') return { replies, rest, fault: read };
    replies.push(read.reply);
    at += read.length;
  }
}

/** The value of a field; undefined: there is none. Several lines of one name are joined by commas (RFC 9110 5.2). */
export function field({ headers }: Pick<Reply, 'headers'>, name: string): string | undefined {
  const { length } = name;
  const lines = headers.filter((line) => line[length] === ':' && line.slice(0, length).toLowerCase() === name.toLowerCase());
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(length + 1).replace(/^[ \t]+|[ \t]+$/g, '')).join(', ');
}

const IMF_FIXDATE = /^Date: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

// Each of these returns why the bytes are not what they should be, as a string; undefined: they are incomplete. `length` is that of all
// bytes that it has read, with the framing.
function readReply(bytes: Buffer, ended: boolean, toHead: boolean) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [, code] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine) ?? [];
  const wrong = code === undefined ? statusLine : lines.find((line) => !/^[^\s:]+:/.test(line));
  if (wrong !== undefined) return `Not a line of a head: ${JSON.stringify(wrong)}`;
  const head = { statusLine, status: Number(code), headers: lines.map((line) => (IMF_FIXDATE.test(line) ? 'Date: now' : line)) };
  const content = readContent(head, bytes.subarray(headEnd + 4), ended, toHead);
  if (typeof content !== 'object') return content;
  return { reply: { ...head, body: content.body.toString('utf8') }, length: headEnd + 4 + content.length };
}

type Content = { readonly body: Buffer; readonly length: number };

function readContent(head: Omit<Reply, 'body'>, bytes: Buffer, ended: boolean, toHead: boolean): Content | string | undefined {
  if (toHead || head.status < 200 || head.status === 204 || head.status === 304) return { body: Buffer.alloc(0), length: 0 };
  if (/(^|,)\s*chunked$/i.test(field(head, 'transfer-encoding') ?? '')) return readChunks(bytes);
  const declared = field(head, 'content-length');
  if (declared === undefined) return ended ? { body: bytes, length: bytes.length } : undefined;
  if (!/^\d+$/.test(declared)) return `Not one Content-Length: ${declared}`;
  const length = Number(declared);
  return length <= bytes.length ? { body: bytes.subarray(0, length), length } : undefined;
}

// RFC 9112 7.1
function readChunks(bytes: Buffer): Content | string | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const line = bytes.toString('latin1', at, lineEnd), start = lineEnd + 2;
    const size = Number.parseInt(/^([\da-f]+)[ \t]*(?:;.*)?$/i.exec(line)?.[1] ?? '', 16);
    if (size === 0) {
      const end = bytes.indexOf('\r\n\r\n', lineEnd); // there may be trailer fields before it
      return end === -1 ? undefined : { body: Buffer.concat(chunks), length: end + 4 };
    }
    at = start + size + 2;
    if (at > bytes.length) return undefined;
    if (bytes.toString('latin1', start + size, at) !== '\r\n') return `Not a chunk: ${JSON.stringify(line)}`;
    chunks.push(bytes.subarray(start, start + size));
  }
}
