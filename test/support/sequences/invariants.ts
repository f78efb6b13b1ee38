// What must hold after each sequence, whoever has played it.
import assert from 'node:assert/strict';
import type { FinishedRequest } from '../../../src/server/reports.ts';
import type { Answer } from './answers.ts';
import { emptyLines } from './part.ts';
import { hasBegun, type SentPart } from './sending.ts';

/** What a client has sent, and what it has got. */
export type Outcome = {
  /** Its address, as in the records. */
  readonly address: string | undefined;
  readonly parts: readonly SentPart[];
  readonly answers: readonly Answer[];
  /** These are all replies that were written to it. */
  readonly isComplete: boolean;
  /** How many bytes of the client the service has read, at least. */
  readonly bytesRead: number;
  /** It has not closed the connection, it has read every reply, and the service has not had to close the connection before. */
  readonly hasStayed: boolean;
  readonly hasEnded: boolean;
  /** The service has ended its side, in an orderly way. */
  readonly isEnded: boolean;
};

/** What is known of the service. */
export type Outside = {
  readonly records: readonly Pick<FinishedRequest, 'status' | 'aborted' | 'remoteAddress'>[];
  /** What the service has reported as an error, and what nobody has caught. */
  readonly errors: readonly unknown[];
  /** No connection was open some time after the last step. */
  readonly allClosed: boolean;
  /** Whether the promise of `close` was resolved. */
  readonly isStopped: boolean;
};

type OfClient = (outcome: Outcome) => void;
type OfService = (outside: Outside, outcomes: readonly Outcome[]) => void;

/** Each request gets its own reply, in order. */
const repliesAreRight: OfClient = ({ answers, parts }) => {
  answers.forEach(({ fault, reply }, i) => {
    if (fault !== undefined) assert.fail(`${fault}: ${JSON.stringify(reply)} to ${JSON.stringify(parts[i]?.part.bytes.slice(0, 200))}`);
  });
};

/** Nothing comes behind the last reply. */
const lastReplyIsLast: OfClient = ({ answers }) => {
  const last = answers.findIndex(({ isLast }) => isLast);
  assert.ok(last === -1 || last === answers.length - 1, `${answers.length - 1 - last} replies behind the last one`);
};

/** A request that the service has begun to read gets a reply. */
const noReplyIsMissing: OfClient = (outcome) => {
  const next = unanswered(outcome);
  if (next !== undefined && outcome.hasStayed) assert.fail(`no reply to ${JSON.stringify(next.part.bytes.slice(0, 200))}`);
};

/** Behind the last reply, or the end of the client, the service ends its own side. */
const connectionEnds: OfClient = ({ answers, hasStayed, hasEnded, isEnded }) => {
  const mustEnd = hasEnded || answers.at(-1)?.isLast === true;
  assert.ok(isEnded || !hasStayed || !mustEnd, `the service did not end the connection after ${answers.length} replies`);
};

/**
 * One access record for each reply; `aborted` where the reply has not left whole. One more record, for a request whose reply could
 * not be sent, may follow. Of one connection at an address they are in order.
 */
const recordsMatch: OfService = ({ records }, outcomes) => {
  for (const address of new Set(outcomes.map((outcome) => outcome.address))) {
    const own = outcomes.filter((outcome) => outcome.address === address);
    if (!own.every(({ isComplete }) => isComplete)) continue;
    const order = own.length === 1 ? <T>(all: T[]) => all : byStatus;
    const expected = order(own.flatMap(({ answers }) => answers.map(({ reply: { status }, hasLeft }) => ({ status, hasLeft }))));
    const recorded = order(records.filter(({ remoteAddress }) => remoteAddress === address));
    expected.forEach(({ status, hasLeft }, i) => {
      const { aborted, ...record } = recorded[i] ?? { status: undefined, aborted: undefined };
      const mustBe = hasLeft === undefined ? aborted : hasLeft ? undefined : true;
      assert.equal(`${record.status} ${aborted}`, `${status} ${mustBe}`, `record ${i}`);
    });
    const more = recorded.slice(expected.length);
    const mayBeMore = own.filter((outcome) => mayHaveMore(outcome)).length;
    if (more.length > mayBeMore || more.some(({ aborted }) => !aborted)) assert.fail(`records without a reply: ${JSON.stringify(more)}`);
  }
};

const nothingIsThrown: OfService = ({ errors }) => assert.equal(errors.map(String).join(), '');
const allHaveEnded: OfService = ({ allClosed }) => assert.ok(allClosed, 'connections are open');
const serviceHasStopped: OfService = ({ isStopped }) => assert.ok(isStopped, 'close() has resolved');

export const OF_CLIENT = { repliesAreRight, lastReplyIsLast, noReplyIsMissing, connectionEnds };
export const OF_SERVICE = { nothingIsThrown, allHaveEnded, serviceHasStopped, recordsMatch };

/** The first request without a reply that the service has begun to read. */
export function unanswered({ answers, parts, bytesRead }: Outcome): SentPart | undefined {
  const next = parts[answers.length];
  if (next === undefined || !hasBegun(next) || answers.at(-1)?.isLast === true) return undefined;
  if (parts.slice(0, answers.length + 1).some(({ part }) => part.reply === undefined)) return undefined; // nobody can tell
  return bytesRead > next.from + emptyLines(next.part) ? next : undefined;
}

function mayHaveMore({ answers, parts }: Outcome): boolean {
  return answers.at(-1)?.isLast !== true && (parts.length > answers.length || parts.some(({ part }) => part.reply === undefined));
}

function byStatus<T extends { readonly status: number | undefined }>(all: T[]): T[] {
  return all.sort((a, b) => (a.status ?? 0) - (b.status ?? 0));
}
