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
  readonly sent: SentPart | undefined;
  readonly isLast: boolean;
  readonly fault: string | undefined; // what is wrong with it
};

/** A reply, judged by the request that was sent, if there was one, and by what is known of that moment. */
export function answerTo(sent: SentPart | undefined, reply: Reply, known: (sent: SentPart) => Known): Answer {
  return { reply, sent, isLast: isClosing(reply), fault: sent === undefined ? 'to no request' : faultOf(reply, sent, known(sent)) };
}

function faultOf(reply: Reply, { part }: SentPart, known: Known): string | undefined {
  const possible = possibleReplies(part.reply, known);
  return possible.some((expected) => isAsExpected(expected, reply)) ? undefined : `not one of ${JSON.stringify(possible)}`;
}

function possibleReplies(expected: Expected, { isWhole, isDraining, hasEnded, isLate }: Known): Expected[] {
  const possible: Expected[] = [];
  // The head can be enough for a last request.
  if (isWhole !== false || expected.isLast) {
    if (isDraining !== true) possible.push(expected);
    if (isDraining !== false) possible.push(drained(expected));
  }
  if (isWhole !== true) {
    if (hasEnded) possible.push({ status: 400, body: '', isLast: true });
    if (isLate) possible.push({ status: 408, body: '', isLast: true });
  }
  return possible;
}
