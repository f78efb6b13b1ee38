// An entry of the corpus, and what its requests are made of.

/** A request, or some on one connection, and how this service replies. */
export type Entry = {
  readonly says: string;
  /** One character for each byte. */
  readonly bytes: string;
  /** The status of each reply. 200, 404 and 405: the request is legal. */
  readonly statuses: readonly number[];
  /** The connection is closed after the last reply. Otherwise it stays open. */
  readonly closes: boolean;
  /** What not every service offers. */
  readonly needs?: Need | undefined;
};
type Need = 'any host' | 'no TLS';

/** Entries with the same reason. A reason that begins with "Ours" is not in the RFCs: other servers may serve what it refuses. */
export type Group = { readonly reason: string; readonly entries: readonly Entry[] };

/** An entry as it is written down. Without statuses it has the one of its group. */
export type Line = readonly [says: string, bytes: string, statuses?: readonly number[], needs?: Need];

/** The group of these lines. */
export function group(reason: string, closes: boolean, status: number, ...lines: readonly Line[]): Group {
  return { reason, entries: lines.map(([says, bytes, statuses = [status], needs]) => ({ says, bytes, statuses, closes, needs })) };
}

/** A line for each of `values`, which are printed after `name`. */
export function each(name: string, values: readonly string[], write: (value: string) => string): Line[] {
  return values.map((value) => [`${name}${printable(value)}`, write(value)]);
}

const printable = (text: string) => (/^[!-~]+(?: [!-~]+)*$/.test(text) ? text
  : JSON.stringify(text).replace(/[\x7f-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`));

/** A head of these lines, each with its line break, and the empty line. */
export const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
/** `count` field lines. */
export const filler = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: ${i}`);

/** Functions that make requests with this Host. Without another target they are for /health. */
export function requestsTo(authority: string) {
  const host = `Host: ${authority}`;
  const get = (...fields: readonly string[]) => head('GET /health HTTP/1.1', host, ...fields);
  return {
    host,
    get,
    /** With these fields only. */
    bare: (...fields: readonly string[]) => head('GET /health HTTP/1.1', ...fields),
    target: (text: string, method = 'GET') => head(`${method} ${text} HTTP/1.1`, host),
    http10: (...fields: readonly string[]) => head('GET /health HTTP/1.0', host, ...fields),
    chunked: (content: string) => get('Transfer-Encoding: chunked') + content,
  };
}
