// The replies that a client has got, next to the requests that they answer.
import type { Reply } from '../replies.ts';
import { drained, isAsExpected, isClosing, type Expected, type SentPart } from './part.ts';

/** What a player knows of the moment when a reply was written. Undefined: it does not know. */
export type Known = {
  readonly isWhole: boolean | undefined; // the request had been sent to its end
  readonly isDraining: boolean | undefined;
  readonly hasEnded: boolean; // the client had ended its side
  readonly isLate: boolean; // enough time had passed for a 408
};

/** A reply, and the request that it belongs to. */
export type Answer = {
  readonly reply: Reply;
  readonly sent: SentPart | undefined; // undefined: it cannot be known
  readonly isLast: boolean; // it is the last reply
  readonly fault: string | undefined; // what is wrong with it
};

/** Each of `replies`, judged by the requests that were sent, and by what is known of each reply. */
export function answersTo(
  parts: readonly SentPart[], replies: readonly Reply[], known: (sent: SentPart | undefined, index: number) => Known,
): Answer[] {
  const firstUnknown = parts.findIndex(({ part }) => part.reply === undefined);
  return replies.map((reply, i) => {
    const answer = { reply, isLast: isClosing(reply) };
    const form = faultOfForm(reply);
    if (firstUnknown === -1 || i < firstUnknown) {
      const sent = parts[i];
      return { ...answer, sent, fault: form ?? (sent === undefined ? 'to no request' : faultOf(reply, sent, known(sent, i))) };
    }
    // Every request that is answered has at least one line, and one more reply may refuse the bytes after it.
    const lines = parts.slice(firstUnknown).reduce((sum, { part }) => sum + part.bytes.split('\n').length, 0);
    return { ...answer, sent: undefined, fault: form ?? (i - firstUnknown > lines ? 'more replies than lines' : undefined) };
  });
}

const STATUSES = new Set([200, 307, 400, 404, 405, 408, 413, 414, 417, 421, 431, 501, 503, 505]);

function faultOfForm({ status, headers, body }: Reply): string | undefined {
  if (!STATUSES.has(status)) return 'a wrong status';
  const ours = headers.filter((header) => /^(?:Connection|Date):/.test(header)).sort().join();
  if (!/^Connection: (?:close|keep-alive),Date: now$/.test(ours)) return 'not one Connection, or not one Date';
  const mayHaveBody = [200, 400, 503].includes(status) && headers.some((header) => header.startsWith('Content-Type: '));
  return (body !== '') === mayHaveBody ? undefined : 'a wrong body';
}

function faultOf(reply: Reply, { part }: SentPart, known: Known): string | undefined {
  const possible = possibleReplies(part.reply, known);
  return possible.some((expected) => isAsExpected(expected, reply)) ? undefined : `not one of ${JSON.stringify(possible)}`;
}

function possibleReplies(expected: Expected | undefined, { isWhole, isDraining, hasEnded, isLate }: Known): Expected[] {
  const possible: Expected[] = [];
  // The head can be enough for a last request.
  if (expected !== undefined && (isWhole !== false || expected.isLast)) {
    if (isDraining !== true) possible.push(expected);
    if (isDraining !== false) possible.push(drained(expected));
  }
  if (isWhole !== true) {
    if (hasEnded) possible.push({ status: 400, body: '', isLast: true });
    if (isLate) possible.push({ status: 408, body: '', isLast: true });
  }
  return possible;
}
