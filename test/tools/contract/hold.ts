// Checks a server against a row: sends the bytes of the row, and compares the replies with what the row expects.
import type { Row, Seen, Step } from './row.ts';
import type { Talk, Talker } from './talk.ts';

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
