// A row of the contract: what is sent, and what must come back, as data; and how a server is held to it.
import { head } from '../../support/corpus/entry.ts';
import type { Reply } from '../../support/replies.ts';
import { GREETINGS } from './endpoints.ts';
import { body, memberIs, status, type Expectation } from './expectation.ts';
import type { Talk, Talker } from './talk.ts';

/** What is sent on a connection of its own, and what must come back on it. */
type Step = {
  /** The bytes, with one character for each. */
  readonly send: string;
  /** What must be true of each reply. There are as many replies as entries. */
  readonly replies: readonly (readonly Expectation[])[];
  /** After the last reply the server closes the connection, and nothing more comes. */
  readonly closes?: boolean;
};

export type Row = {
  readonly says: string;
  readonly steps: readonly Step[];
  /** What the row needs: an exception in the server, or one that accepts any Host. */
  readonly needs?: 'an exception' | 'any host';
  /** What is wrong with the replies of all steps taken together, in words. */
  readonly misfits?: (replies: readonly Reply[]) => readonly string[];
};

/** The rows of each section of the document that they are from, by its heading. */
export type Sections = Readonly<Record<string, readonly Row[]>>;

/** Which server the rows are for. */
export type Subject = {
  /** The value of Host: a host name or IP address, and the port unless it is the default port of the scheme. */
  readonly authority: string;
  readonly isSecure: boolean;
  readonly environment: 'development' | 'production';
};

export const row = (says: string, ...steps: readonly Step[]): Row => ({ says, steps });

/** Makes steps and rows with one request, such as `GET /health`, after which the connection is closed. */
export function asking({ authority }: Subject) {
  const ask = (code: number, request: string, expected: readonly Expectation[] = [], ...fields: readonly string[]): Step =>
    ({ send: head(`${request} HTTP/1.1`, `Host: ${authority}`, ...fields, 'Connection: close'), replies: [[status(code), ...expected]] });
  return {
    ask,
    /** Steps for a path that is not mapped, whatever the method. */
    askUnmapped: (path: string) => ['GET', 'POST'].map((method) => ask(404, `${method} ${path}`, [body('')])),
    greeted: (says: string, query: string, name: string) =>
      row(says, ask(200, `GET ${GREETINGS}${query}`, [memberIs('message', `Hello, ${name}!`)])),
    refused: (says: string, query: string) => row(says, ask(400, `GET ${GREETINGS}${query}`)),
  };
}

/** Where a server differs from a row: in which step. `expected`: what is not so, in words. */
export type Difference = { readonly send: string; readonly expected: readonly string[]; readonly talk: Talk };

/** Checks the server that `talk` talks to, up to the first step in which it differs. */
export async function hold({ steps, misfits }: Row, talk: Talker): Promise<'holds' | Difference> {
  const replies: Reply[] = [];
  for (const step of steps) {
    const talked = await talk(step.send, step.replies.length + Number(step.closes === true));
    replies.push(...talked.replies);
    const expected = [...missed(step, talked), ...(step === steps.at(-1) && misfits !== undefined ? misfits(replies) : [])];
    if (expected.length > 0) return { send: step.send, expected, talk: talked };
  }
  return 'holds';
}

function missed({ replies: expected, closes }: Step, { replies, rest, end, sentAt }: Talk): string[] {
  const unmet = expected.flatMap((expectations, i) => {
    const reply = replies[i];
    const wrong = expectations.filter(({ of, accepts }) => reply === undefined || !accepts(of(reply), sentAt));
    return wrong.map(({ text }) => (expected.length > 1 ? `reply ${i + 1}: ${text}` : text));
  });
  if (closes !== true) return unmet;
  const hasMore = replies.length > expected.length || rest.length > 0;
  return [...unmet, ...(hasMore ? ['nothing after the last reply'] : []), ...(end === 'late' ? ['the connection is closed'] : [])];
}
