// A client that sends exact bytes and returns the exact bytes that it receives. Node's own client does neither.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type WireReply = {
  /** `HTTP/1.1 200 OK` */
  readonly statusLine: string;
  readonly status: number;
  /** As received, in order: `Name: value`. A well-formed date is replaced by `Date: now`. */
  readonly headers: readonly string[];
  readonly body: string;
};

export type Exchange = { readonly replies: readonly WireReply[]; /** Whether the server ended its side. */ readonly ended: boolean };

const IMF_FIXDATE = /^Date: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** The whole replies at the start of `bytes`, and the bytes after them. Throws when these are not the start of a reply. */
export function wholeReplies(bytes: Buffer): { readonly replies: WireReply[]; readonly rest: Buffer } {
  const replies: WireReply[] = [];
  for (let at = 0; ; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) return { replies, rest: bytes.subarray(at) };
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+$/.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`Not a status line: ${JSON.stringify(statusLine)}`);
    const lengths = lines.filter((line) => /^content-length:/i.test(line));
    const length = /^Content-Length: (\d+)$/.exec(lengths.join())?.[1];
    if (length === undefined) throw new Error(`Not one Content-Length: ${JSON.stringify(lines)}`);
    const end = headEnd + 4 + Number(length);
    if (end > bytes.length) return { replies, rest: bytes.subarray(at) };
    const headers = lines.map((line) => (IMF_FIXDATE.test(line) ? 'Date: now' : line));
    replies.push({ statusLine, status: Number(status), headers, body: bytes.toString('utf8', headEnd + 4, end) });
    at = end;
  }
}

/** The replies in `bytes`, which must hold whole replies and nothing else. */
export function parseReplies(bytes: Buffer): WireReply[] {
  const { replies, rest } = wholeReplies(bytes);
  if (rest.length > 0) throw new Error(`Not a whole reply: ${JSON.stringify(rest.toString('latin1'))}`);
  return replies;
}

/** Sends `request` and reads until the connection is closed. A string is sent with one byte for each character. */
export function exchange(port: number, request: string | Buffer): Promise<Exchange> {
  return exchangeOn(connect({ port, host: '127.0.0.1' }), request);
}

/** As `exchange`, on a socket that is connected or connecting, for example a TLS socket. */
export async function exchangeOn(socket: Socket, request: string | Buffer): Promise<Exchange> {
  const chunks: Buffer[] = [];
  let ended = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => { ended = true; });
  socket.write(request, 'latin1');
  await once(socket, 'close');
  return { replies: parseReplies(Buffer.concat(chunks)), ended };
}

/** The bytes of a request without content. It asks for the connection to be closed, unless `fields` are given. */
export function requestBytes(method: string, target: string, fields: readonly string[] = ['Connection: close']): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...fields, '', ''].join('\r\n');
}

/** Sends one request on a new connection, and resolves with the one reply. */
export async function request(port: number, method: string, target: string, fields: readonly string[] = []): Promise<WireReply> {
  const { replies, ended } = await exchange(port, requestBytes(method, target, ['Connection: close', ...fields]));
  const [reply] = replies;
  if (reply === undefined || replies.length > 1 || !ended) throw new Error(`Not one reply: ${JSON.stringify(replies)}`);
  return reply;
}
