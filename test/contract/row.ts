// A row of the contract: what is sent, and what must come back, as data.
import type { Expectation } from './expectation.ts';
import type { Reply } from './reply.ts';

/** What must be true of one reply. */
export type Expected = readonly Expectation[];

/** What is sent on a connection of its own, and what must come back on it. */
export type Step = {
  /** The bytes, a character for each. */
  readonly send: string;
  /** The status of the reply that this step is about: without such a reply it has nothing to say. */
  readonly given?: number;
  /** What must be true of each reply. There are as many replies as entries. */
  readonly replies: readonly Expected[];
  /** After the last reply the server closes the connection, and nothing more comes. */
  readonly closes?: boolean;
  /** All bytes that this project's own service answers, as `exact.ts` writes them; undefined: another test knows them. */
  readonly exact: string | undefined;
};

/** What happened in a step. */
export type Seen = { readonly send: string; readonly reply: Reply };

/** What a row may need that not every server under test can offer. */
export type Need =
  /** An exception while the request is answered. */
  | 'an exception'
  /** A server that answers to any Host. */
  | 'any host'
  /** To know whether this is Development. */
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
  /** Where in its document the rows come from. */
  readonly heading: string;
  readonly rows: readonly Row[];
};

export type PartName = 'specification' | 'decisions' | 'wire';

export const TITLES: Readonly<Record<PartName, string>> = { specification: 'The specification', decisions: 'The decisions', wire: 'The wire' };

export type Part = { readonly name: PartName; readonly sections: readonly Section[] };

/** Which server the rows are for. */
export type Subject = {
  /** What it is called in Host: a host name or address, and the port unless it is the scheme's own. */
  readonly authority: string;
  /** Undefined: nobody knows, and it has no description. */
  readonly environment: 'development' | 'production' | undefined;
};

/** The head of a request, each line with its line break, and the empty line. */
export function head(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n');
}

/** A request that ends its connection, and what its reply must be. */
export function ask(
  { authority }: Subject,
  request: string,
  expected: Expected,
  exact: string | undefined,
  fields: readonly string[] = [],
): Step {
  return { send: head(`${request} HTTP/1.1`, `Host: ${authority}`, ...fields, 'Connection: close'), replies: [expected], exact };
}

/** A step about what a reply with that status looks like. That there is one is what other rows are about. */
export function given(code: number, step: Step): Step {
  return { ...step, given: code };
}
