// Checks a server against a row: sends the bytes of the row, and compares the replies with what the row expects.
import { withoutWhatVaries } from './exact.ts';
import type { Row, Seen, Step } from './row.ts';
import type { Talk, Talker } from './talk.ts';

export type Server = {
  readonly talk: Talker;
  /** Whether every byte must be the same as from this project's service, and the connection must be closed. */
  readonly exact: boolean;
  /** All replies of this run, for the rows that review them together. */
  readonly seen: Seen[];
};

/** Where a server differs from a row. */
export type Difference = {
  readonly send: string;
  /** The expectations that are not met, in words. */
  readonly expected: readonly string[];
  readonly talk: Talk;
};

/** The result of checking a server against a row. */
export type RowResult = 'holds' | 'not checked' | Difference;

/** Checks whether `server` does what a row says, and resolves with the first difference, if there is one. */
export async function hold(row: Row, server: Server): Promise<RowResult> {
  const own: Seen[] = [];
  let latest: { readonly send: string; readonly talk: Talk } | undefined;
  for (const step of row.steps) {
    const enough = server.exact ? Infinity : step.replies.length + (step.closes === true ? 1 : 0);
    const talked = await server.talk(step.send, enough);
    if (step.given !== undefined && step.given !== talked.replies[0]?.status && !server.exact) continue;
    latest = { send: step.send, talk: talked };
    const expected = missed(step, talked, server.exact);
    if (expected.length > 0) return { ...latest, expected };
    for (const reply of talked.replies) own.push({ send: step.send, reply });
  }
  if (latest === undefined) return 'not checked';
  server.seen.push(...own);
  const misfits = row.review?.misfits(row.review.of === 'row' ? own : server.seen) ?? [];
  return misfits.length === 0 ? 'holds' : { ...latest, expected: [row.review?.text ?? '', ...misfits.map((misfit) => `but ${misfit}`)] };
}

function missed(step: Step, { replies, bytes, rest, end, sentAt, receivedAt }: Talk, exact: boolean): string[] {
  const unmet = step.replies.flatMap((expectations, i) => {
    const reply = replies[i];
    const which = step.replies.length > 1 ? `reply ${i + 1}: ` : '';
    if (reply === undefined) return [`${which}${expectations.map(({ text }) => text).join(', ') || 'a reply'}`];
    return expectations.filter(({ holds }) => !holds(reply, { sentAt, receivedAt })).map(({ text }) => which + text);
  });
  if (step.closes === true || exact) {
    if (replies.length > step.replies.length || rest > 0) unmet.push('nothing after the last reply');
    else if (end === 'silent') unmet.push('the connection is closed');
  }
  if (!exact || step.exact === undefined) return unmet;
  if (end === 'reset') unmet.push('the connection is closed without a reset');
  if (withoutWhatVaries(bytes) !== step.exact) unmet.push(`exactly the bytes\n${step.exact}`);
  return unmet;
}
