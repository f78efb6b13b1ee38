// What must hold after each sequence, whoever has played it.
import assert from 'node:assert/strict';
import type { Answer } from './answers.ts';
import { emptyLines, hasBegun, type SentPart } from './part.ts';

/** What a client has sent, and what it has got. */
export type Outcome = {
  readonly parts: readonly SentPart[];
  readonly answers: readonly Answer[];
  readonly bytesRead: number; // how many bytes of the client the service has read, at least
  readonly hasStayed: boolean; // it has read every reply, and neither it nor the service has had to close the connection before
  readonly hasEnded: boolean;
  readonly isEnded: boolean; // the service has ended its side, in an orderly way
};

type OfClient = (outcome: Outcome) => void;

/** Each request gets its own reply, in order. */
const repliesAreRight: OfClient = ({ answers, parts }) => {
  answers.forEach(({ fault, reply }, i) => {
    if (fault !== undefined) assert.fail(`${fault}: ${JSON.stringify(reply)} to ${JSON.stringify(parts[i]?.part.bytes.slice(0, 200))}`);
  });
};

/** Nothing comes after the last reply. */
const lastReplyIsLast: OfClient = ({ answers }) => {
  const last = answers.findIndex(({ isLast }) => isLast);
  assert.ok(last === -1 || last === answers.length - 1, `${answers.length - 1 - last} replies after the last one`);
};

/** A request that the service has begun to read gets a reply. */
const noReplyIsMissing: OfClient = (outcome) => {
  const next = unanswered(outcome);
  if (next !== undefined && outcome.hasStayed) assert.fail(`no reply to ${JSON.stringify(next.part.bytes.slice(0, 200))}`);
};

/** After the last reply, or the end of the client, the service ends its own side. */
const connectionEnds: OfClient = ({ answers, hasStayed, hasEnded, isEnded }) => {
  const mustEnd = hasEnded || answers.at(-1)?.isLast === true;
  assert.ok(isEnded || !hasStayed || !mustEnd, `the service did not end the connection after ${answers.length} replies`);
};

export const OF_CLIENT: readonly OfClient[] = [repliesAreRight, lastReplyIsLast, noReplyIsMissing, connectionEnds];

/** The first request without a reply that the service has begun to read. */
export function unanswered({ answers, parts, bytesRead }: Outcome): SentPart | undefined {
  const next = parts[answers.length];
  if (next === undefined || !hasBegun(next) || answers.at(-1)?.isLast === true) return undefined;
  return bytesRead > next.from + emptyLines(next.part) ? next : undefined;
}
