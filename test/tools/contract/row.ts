// A row of the contract: what is sent, and what must come back, as data.
import type { Expectation } from './expectation.ts';
import type { Reply } from '../../support/replies.ts';

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

/** A condition of a row that not every server under test meets. */
export type Need =
  /** An exception must be thrown while the request is answered. */
  | 'an exception'
  /** The server must accept any Host. */
  | 'any host'
  /** It must be known whether the server is in Development. */
  | 'the environment';

export type Row = {
  /** A sentence of the contract. */
  readonly says: string;
  readonly steps: readonly Step[];
  readonly needs?: Need;
  /** What must be true of replies taken together: those of this row, or those of the whole run so far. */
  readonly review?: { readonly of: 'row' | 'run'; readonly text: string; readonly misfits: (seen: readonly Seen[]) => readonly string[] };
};

export type Section = {
  /** The section of the document that the rows are from. */
  readonly heading: string;
  readonly rows: readonly Row[];
};

export type PartName = 'specification' | 'decisions' | 'wire';

export const TITLES: Readonly<Record<PartName, string>> = { specification: 'The specification', decisions: 'The decisions', wire: 'The wire' };

export type Part = { readonly name: PartName; readonly sections: readonly Section[] };

/** Which server the rows are for. */
export type Subject = {
  /** The value of Host: a host name or IP address, and the port unless it is the default port of the scheme. */
  readonly authority: string;
  /** Whether it speaks TLS. */
  readonly isSecure: boolean;
  /** Undefined: it is unknown, and the server has no description. */
  readonly environment: 'development' | 'production' | undefined;
};

/** The head of a request, each line with its line break, and the empty line. */
export function head(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n');
}

/** A step with one request, after which the connection is closed. */
export function ask({ authority }: Subject, request: string, expected: Expected, fields: readonly string[] = []): Step {
  return { send: head(`${request} HTTP/1.1`, `Host: ${authority}`, ...fields, 'Connection: close'), replies: [expected] };
}

export function row(says: string, ...steps: readonly Step[]): Row {
  return { says, steps };
}

/** A step about the form of a reply with this status. Other rows check that the status is right. */
export function given(code: number, step: Step): Step {
  return { ...step, given: code };
}
