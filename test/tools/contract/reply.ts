// Parses replies of any HTTP/1.1 server: field names in any case and order, and content with a length, in chunks, or
// up to the end of the connection (RFC 9112 6.3).

export type Reply = {
  /** `HTTP/1.1 200 OK` */
  readonly statusLine: string;
  readonly status: number;
  /** Names in lower case, and values without the white space around them, in the order in which they arrived. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The content without its framing, read as UTF-8. */
  readonly body: string;
};

/** The value of a field; undefined: there is none. Several lines of one name are joined by commas (RFC 9110 5.2). */
export function field(reply: Reply, name: string): string | undefined {
  const values = reply.fields.filter(([other]) => other === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The content as a JSON value; undefined when it is not JSON. */
export function json(reply: Reply): unknown {
  try {
    return JSON.parse(reply.body);
  } catch {
    return undefined;
  }
}

/**
 * The whole replies at the start of `bytes`, and how many bytes follow them: part of a reply, or no HTTP.
 * `ended`: no more bytes will come. `toHead`: the first reply answers a HEAD, so it has no content.
 */
export function readReplies(bytes: Buffer, ended: boolean, toHead: boolean): { readonly replies: readonly Reply[]; readonly rest: number } {
  const replies: Reply[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const head = headEnd === -1 ? undefined : readHead(bytes.toString('latin1', at, headEnd));
    if (head === undefined) break;
    const content = readContent(head, bytes.subarray(headEnd + 4), ended, toHead && replies.length === 0);
    if (content === undefined) break;
    replies.push({ ...head, body: content.body.toString('utf8') });
    at = headEnd + 4 + content.length;
  }
  return { replies, rest: bytes.length - at };
}

type Head = Omit<Reply, 'body'>;

function readHead(text: string): Head | undefined {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1];
  const fields = lines.map((line) => /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line));
  if (status === undefined || fields.includes(null)) return undefined;
  return { statusLine, status: Number(status), fields: fields.map((match) => [match?.[1]?.toLowerCase() ?? '', match?.[2] ?? '']) };
}

type Content = { readonly body: Buffer; /** Of the content with its framing, in bytes. */ readonly length: number };

function readContent(head: Head, bytes: Buffer, ended: boolean, toHead: boolean): Content | undefined {
  const none = { body: Buffer.alloc(0), length: 0 };
  if (toHead || head.status < 200 || head.status === 204 || head.status === 304) return none;
  const reply = { ...head, body: '' };
  if (/(^|,)\s*chunked$/i.test(field(reply, 'transfer-encoding') ?? '')) return readChunks(bytes);
  const declared = field(reply, 'content-length');
  if (declared === undefined) return ended ? { body: bytes, length: bytes.length } : undefined;
  const length = /^\d+$/.test(declared) ? Number(declared) : Infinity;
  return length <= bytes.length ? { body: bytes.subarray(0, length), length } : undefined;
}

// RFC 9112 7.1
function readChunks(bytes: Buffer): Content | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd === -1 ? undefined : /^([\da-f]+)[ \t]*(?:;.*)?$/i.exec(bytes.toString('latin1', at, lineEnd))?.[1];
    if (size === undefined) return undefined;
    const start = lineEnd + 2;
    const length = Number.parseInt(size, 16);
    if (length === 0) {
      // Trailer fields end with an empty line, and there may be none.
      const end = bytes.toString('latin1', lineEnd, lineEnd + 4) === '\r\n\r\n' ? lineEnd : bytes.indexOf('\r\n\r\n', start);
      return end === -1 ? undefined : { body: Buffer.concat(chunks), length: end + 4 };
    }
    if (bytes.toString('latin1', start + length, start + length + 2) !== '\r\n') return undefined;
    chunks.push(bytes.subarray(start, start + length));
    at = start + length + 2;
  }
}
