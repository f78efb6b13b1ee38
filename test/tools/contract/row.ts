// A row of the contract: what is sent, and what must come back, as data.
import { head } from '../../support/corpus/entry.ts';
import type { Reply } from '../../support/replies.ts';
import { GREETINGS } from './endpoints.ts';
import { memberIs, status, type Expectation } from './expectation.ts';

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

/** A request of a step, and its reply. */
export type Seen = { readonly send: string; readonly reply: Reply };

/** What is replaced, at each place, and by what. */
export type Change = readonly [from: string | RegExp, to: string];

export type Row = {
  /** A sentence of the contract. */
  readonly says: string;
  readonly steps: readonly Step[];
  /** What the row needs: an exception in the server, one that accepts any Host, or to know whether it is in Development. */
  readonly needs?: 'an exception' | 'any host' | 'the environment';
  /** A mistake that the row must find, beside those of its expectations: a server that reads the requests as if they were changed so. */
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
  /** Whether it speaks TLS. */
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
    /** A row that says who is greeted for this query. */
    greeted: (says: string, query: string, name: string, misread?: Change): Row =>
      ({ says, steps: [ask(`GET ${GREETINGS}${query}`, [status(200), memberIs('message', `Hello, ${name}!`)])], misread }),
    /** A row that says that this query is refused. */
    refused: (says: string, query: string, misread?: Change): Row =>
      ({ says, steps: [ask(`GET ${GREETINGS}${query}`, [status(400)])], misread }),
  };
}

export function row(says: string, ...steps: readonly Step[]): Row {
  return { says, steps };
}
