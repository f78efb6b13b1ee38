// The tests of `npm run contract`, one for each row; `main.ts` starts this file in a process of its own, so that the
// reporters of node's test runner can be chosen on the command line.
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { decisions } from './decisions.ts';
import { hold, type RowResult } from './hold.ts';
import { describeDifference, summarizeDifference } from './report.ts';
import { TITLES, type PartName, type Row, type Seen, type Subject } from './row.ts';
import { specification } from './specification.ts';
import { notChecked, PATIENCE_MS, targetAt, type FirstLook, type Target } from './target.ts';
import { talker } from './talk.ts';
import { wire } from './wire.ts';

/** What `main.ts` passes to this file, as JSON. */
export type Task = FirstLook & {
  readonly url: string;
  readonly insecure: boolean;
  readonly enforced: readonly PartName[];
  readonly environment: Subject['environment'] | null;
};

/** What this file sends back to `main.ts`, for each part. */
export type Summary = { readonly part: PartName; readonly holding: number; readonly differing: readonly string[]; readonly notChecked: number };

const AT_ONCE = 16; // rows at once, because most of the time is spent waiting for the server
const TOTAL_MS = 20_000; // no row begins later, so that a run takes less than 30 s with any server

const task: Task = JSON.parse(process.argv[2] ?? '');
const { connect, authority } = targetOf(task);
const subject: Subject = { authority, isSecure: task.url.startsWith('https:'), environment: task.environment ?? undefined };
const reasons = notChecked(task);

const seen: Seen[] = [];
const overAt = Date.now() + TOTAL_MS;
const inTurn = limit(AT_ONCE);

const talk = talker({ connect, now: Date.now, patienceMs: () => Math.min(PATIENCE_MS, overAt - Date.now()) });

async function checkRow(row: Row): Promise<RowResult | 'out of time'> {
  return Date.now() < overAt ? hold(row, talk, seen) : 'out of time';
}

// All rows are started now, and reported in their order. Rows that review the whole run are started after the others.
const parts = [specification, decisions, wire].map((part) => part(subject));
const checked = parts.flatMap((part) => part.sections.flatMap(({ rows }) => rows)).filter((row) => reasons[row.needs ?? ''] === undefined);
const rowResults = new Map<Row, ReturnType<typeof checkRow>>();
for (const row of checked) if (row.review?.of !== 'run') rowResults.set(row, inTurn(() => checkRow(row)));
const others = Promise.all(rowResults.values());
for (const row of checked) if (row.review?.of === 'run') rowResults.set(row, others.then(() => checkRow(row)));

Error.stackTraceLimit = 0; // a stack trace of this program says nothing about a difference

class Difference extends Error {
  [inspect.custom]() {
    return this.message;
  }
}

for (const part of parts) {
  const enforced = task.enforced.includes(part.name);
  describe(TITLES[part.name], () => {
    for (const { heading, rows } of part.sections) {
      describe(heading, () => {
        for (const row of rows) {
          test(row.says, { skip: reasons[row.needs ?? ''] ?? false }, async (t) => {
            const rowResult = await rowResults.get(row);
            if (rowResult === undefined || rowResult === 'holds') return;
            if (rowResult === 'not checked') return t.skip('not checked: no reply had the status that this is about');
            if (rowResult === 'out of time') {
              const late = `not checked: the ${TOTAL_MS / 1000} seconds for all rows were over`;
              if (enforced) throw new Difference(late);
              return t.skip(late);
            }
            const place = `${TITLES[part.name]}, "${heading}"`; // reporters do not print it beside a failure
            if (enforced) throw new Difference(`${place}\n${describeDifference(rowResult)}`);
            t.todo(`differs, but --${part.name} was not given`); // reported, and not counted as a failure
            throw new Difference(`${place}\n${summarizeDifference(rowResult)}`);
          });
        }
      });
    }
  });
}

const summaries = parts.map(async ({ name, sections }): Promise<Summary> => {
  const rows = sections.flatMap((section) => section.rows.map((row) => ({ row, says: `${section.heading}: ${row.says}` })));
  const results = await Promise.all(rows.map(async ({ row, says }) => ({ says, rowResult: (await rowResults.get(row)) ?? 'not checked' })));
  const holding = results.filter(({ rowResult }) => rowResult === 'holds').length;
  const differing = results.filter(({ rowResult }) => typeof rowResult === 'object').map(({ says }) => says);
  return { part: name, holding, differing, notChecked: rows.length - holding - differing.length };
});
process.send?.(await Promise.all(summaries));

function targetOf({ url, insecure }: Task): Target {
  const target = targetAt(url, insecure);
  if (typeof target === 'string') throw new Error(target); // main.ts has checked it
  return target;
}

/** Returns a function that runs what it is given, at most `atOnce` at the same time. */
function limit(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
