// An entry of the corpus, and what its requests are made of.
import { REFUSALS, type Reason } from '../../../src/http/refusals.ts';

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

/** Entries that try the same. `reason`: the rule that the last request of each breaks. Others may serve what rules of ours refuse. */
export type Group = { readonly says: string; readonly reason?: Reason; readonly entries: readonly Entry[] };

/** An entry as it is written down. Without statuses it has the one of its group. */
export type Line = readonly [says: string, bytes: string, statuses?: readonly number[], needs?: Need | undefined];

/** The group of these lines. */
export function group(title: string, closes: boolean, status: number, ...lines: readonly Line[]): Group {
  return { says: title, entries: lines.map(([says, bytes, statuses = [status], needs]) => ({ says, bytes, statuses, closes, needs })) };
}

/** A request that is refused, as it is written down. `before`: the statuses of the replies to the requests before it. */
type RefusedLine = readonly [says: string, bytes: string, before?: readonly number[], needs?: Need];

/** The group of these lines, each of which breaks the rule `reason`. */
export function refused(reason: Reason, ...lines: readonly RefusedLine[]): Group {
  const { status, section, prevents } = REFUSALS[reason];
  const asLine = ([says, bytes, before = [], needs]: RefusedLine): Line => [says, bytes, [...before, status], needs];
  return { ...group(`${reason} (${section}), against ${prevents}`, true, status, ...lines.map(asLine)), reason };
}

/** A line for each of `values`, which are printed after `name`. */
export function each(name: string, values: readonly string[], write: (value: string) => string): [says: string, bytes: string][] {
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
