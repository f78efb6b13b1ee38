// Requests whose replies are known: greetings, those of the corpus, and random ones.
import { head, type Group } from '../../support/corpus/entry.ts';
import { last as corpusOfLast } from '../../support/corpus/last.ts';
import { served } from '../../support/corpus/served.ts';
import type { Random } from '../../support/random.ts';

/** What a reply must be. */
export type Expected = {
  readonly status: number;
  readonly body: string; // what the body begins with; empty: there is none
  readonly isLast: boolean; // the service closes the connection after it
};

/** A request, and the reply to it. */
export type Part = { readonly bytes: string; readonly reply: Expected }; // `bytes`: one character for each

/** How many bytes come before the request itself: CR LF before it does not belong to it. */
export const emptyLines = ({ bytes }: Part): number => Math.max(0, bytes.search(/[^\r\n]/));

/** How many bytes come before the end of the head. */
export const headLength = (part: Part): number => part.bytes.indexOf('\r\n\r\n', emptyLines(part)) + 4;

/** A head of these lines, with a host. */
const target = (line: string, ...fields: readonly string[]) => head(line, 'Host: a', ...fields);

const replied = (status: number, body: string, bytes: string): Part => ({ bytes, reply: { status, body, isLast: false } });
/** The same request, after which the service closes the connection. */
const last = ({ bytes, reply }: Part): Part => ({ bytes, reply: { ...reply, isLast: true } });

/** A request for a greeting with `number` in it, so that the reply shows which request it answers. */
export function greeting(number: number, ...fields: readonly string[]): Part {
  return replied(200, `{"message":"Hello, ${number}!"`, target(`GET /api/greetings?name=${number} HTTP/1.1`, ...fields));
}
export const greetings = (from: number, count: number): Part[] => Array.from({ length: count }, (_, i) => greeting(from + i));

/** A request that is refused for its name. */
const illegalName = (number: number) =>
  replied(400, '{"type":"https://tools.ietf.org/', target(`GET /api/greetings?${number}&name= HTTP/1.1`));

const changed = (part: Part, before: string, after: string): Part => ({ ...part, bytes: before + part.bytes + after });
/** Of its content, any piece may look like an empty line. */
export const withContent = (number: number) => changed(greeting(number, 'Content-Length: 5'), '', 'a\r\nb\r');
export const afterEmptyLines = (number: number) => changed(greeting(number), '\r\n\r\n', '');

/** The entries of the corpus that are one request, for /health when its status is 200: those of at most 1,000 bytes, or the others. */
function partsOf(groups: readonly Group[], size: 'short' | 'long'): readonly [Part, ...Part[]] {
  const entries = groups.flatMap((group) => group.entries).filter(({ bytes, statuses, needs }) =>
    statuses.length === 1 && needs !== 'no TLS' && /[^\r\n]/.test(bytes) && (bytes.length <= 1_000) === (size === 'short'));
  const [first, ...others] = entries.map(({ bytes, statuses: [status = 0] }) => replied(status, status === 200 ? 'Healthy' : '', bytes));
  if (first === undefined) throw new Error('There is none.');
  return [first, ...others];
}

const [SHORT, LONG] = [partsOf(served('a'), 'short'), partsOf(served('a'), 'long')];
const [SHORT_LAST, LONG_LAST] = [partsOf(corpusOfLast('a'), 'short'), partsOf(corpusOfLast('a'), 'long')];

/** A request that leaves the connection open. `number` makes it different from the others in the sequence. */
export function legalRequest({ below, pick }: Random, number: number): Part {
  if (below(16) === 0) return pick(LONG);
  return below(2) === 0 ? pick([greeting, greeting, withContent, afterEmptyLines, illegalName])(number) : pick(SHORT);
}

/** A request that ends the connection. `number` makes it different from the others in the sequence. */
export function lastRequest({ below, pick }: Random, number: number): Part {
  if (below(8) === 0) return last(greeting(number, 'Connection: close'));
  return last(pick(below(20) === 0 ? LONG_LAST : SHORT_LAST));
}
