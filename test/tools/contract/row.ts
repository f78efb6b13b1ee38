// A row of the contract: what is sent, and what must come back, as data; and how a server is held to it.
import { head } from '../../support/corpus/entry.ts';
import type { Reply } from '../../support/replies.ts';
import { GREETINGS } from './endpoints.ts';
import { memberIs, status, type Expectation } from './expectation.ts';
import type { Talk, Talker } from './talk.ts';

/** What must be true of one reply. */
export type Expected = readonly Expectation[];

/** What is sent on a connection of its own, and what must come back on it. */
export type Step = {
  /** The bytes, with one character for each. */
  readonly send: string;
  /** The status that the step is about. When the reply has another status, the step is not checked. */
  readonly given?: number;
  /** What must be true of each reply. There are as many replies as entries. */
  readonly replies: readonly Expected[];
  /** After the last reply the server closes the connection, and nothing more comes. */
  readonly closes?: boolean;
};

export type Seen = { readonly send: string; readonly reply: Reply };

/** What is replaced, at each place, and by what. */
export type Change = readonly [from: string | RegExp, to: string];

export type Row = {
  readonly says: string;
  readonly steps: readonly Step[];
  /** What the row needs: an exception in the server, one that accepts any Host, or to know whether it is in Development. */
  readonly needs?: 'an exception' | 'any host' | 'the environment';
  /** One more mistake that the row must find: a server that reads the requests as if they were changed like this. */
  readonly misread?: Change | undefined;
  /** What must be true of replies taken together: those of this row, or those of the whole run so far. */
  readonly review?: {
    readonly of: 'row' | 'run';
    readonly text: string;
    readonly misfits: (seen: readonly Seen[]) => readonly string[];
    /** A mistake that it must find, in the bodies of all replies of the row. */
    readonly mistake: Change;
  };
};

/** The rows of each section of the document that they are from, by its heading. */
export type Sections = Readonly<Record<string, readonly Row[]>>;

/** Which server the rows are for. */
export type Subject = {
  /** The value of Host: a host name or IP address, and the port unless it is the default port of the scheme. */
  readonly authority: string;
  readonly isSecure: boolean;
  /** Undefined: it is unknown, and the server has no description. */
  readonly environment: 'development' | 'production' | undefined;
};

/** Makes steps and rows with one request, such as `GET /health`, after which the connection is closed. */
export function asking({ authority }: Subject) {
  const ask = (request: string, expected: Expected, ...fields: readonly string[]): Step =>
    ({ send: head(`${request} HTTP/1.1`, `Host: ${authority}`, ...fields, 'Connection: close'), replies: [expected] });
  return {
    ask,
    /** A step about the form of a reply with this status. Other rows check that the status is right. */
    given: (code: number, ...asked: Parameters<typeof ask>): Step => ({ ...ask(...asked), given: code }),
    /** Steps for a path that is not mapped, whatever the method. */
    askUnmapped: (path: string) => ['GET', 'POST'].map((method) => ask(`${method} ${path}`, [status(404)])),
    greeted: (says: string, query: string, name: string, misread?: Change): Row =>
      ({ says, steps: [ask(`GET ${GREETINGS}${query}`, [status(200), memberIs('message', `Hello, ${name}!`)])], misread }),
    refused: (says: string, query: string, misread?: Change): Row =>
      ({ says, steps: [ask(`GET ${GREETINGS}${query}`, [status(400)])], misread }),
  };
}

export function row(says: string, ...steps: readonly Step[]): Row {
  return { says, steps };
}

/** Where a server differs from a row. `expected`: the expectations that are not met, in words. */
export type Difference = { readonly send: string; readonly expected: readonly string[]; readonly talk: Talk };

export type RowResult = 'holds' | 'not checked' | Difference;

/** Checks the server that `talk` talks to. `seen` has the replies of this run, for rows that review them, and gets those of this row. */
export async function hold({ steps, review }: Row, talk: Talker, seen: Seen[]): Promise<RowResult> {
  const own: Seen[] = [];
  let latest: { readonly send: string; readonly talk: Talk } | undefined;
  for (const step of steps) {
    const talked = await talk(step.send, step.replies.length + (step.closes === true ? 1 : 0));
    if (step.given !== undefined && step.given !== talked.replies[0]?.status) continue;
    latest = { send: step.send, talk: talked };
    const expected = missed(step, talked);
    if (expected.length > 0) return { ...latest, expected };
    for (const reply of talked.replies) own.push({ send: step.send, reply });
  }
  if (latest === undefined) return 'not checked';
  seen.push(...own);
  const misfits = review?.misfits(review.of === 'row' ? own : seen) ?? [];
  return misfits.length === 0 ? 'holds' : { ...latest, expected: [review?.text ?? '', ...misfits.map((misfit) => `but ${misfit}`)] };
}

/** The expectations of one reply in words. `i`: its place among `count` replies. */
export function inWords(expectations: Step['replies'][number], i: number, count: number): string {
  return `${count > 1 ? `reply ${i + 1}: ` : ''}${expectations.map(({ text }) => text).join(', ') || 'a reply'}`;
}

function missed(step: Step, talk: Talk): string[] {
  const { replies, rest, end } = talk;
  const count = step.replies.length;
  const unmet = step.replies.flatMap((expectations, i) => {
    const reply = replies[i];
    if (reply === undefined) return [inWords(expectations, i, count)];
    return expectations.filter(({ holds }) => !holds(reply, talk)).map((one) => inWords([one], i, count));
  });
  if (step.closes !== true) return unmet;
  if (replies.length > count || rest.length > 0) return [...unmet, 'nothing after the last reply'];
  return end === 'late' ? [...unmet, 'the connection is closed'] : unmet;
}
