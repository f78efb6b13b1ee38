// The tests of `npm run contract`, one for each row; `main.ts` starts this file in a process of its own, so that the
// reporters of node's test runner can be chosen on the command line.
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { decisions } from './decisions.ts';
import { hold, type RowResult } from './hold.ts';
import { describeDifference, summarizeDifference } from './report.ts';
import { TITLES, type PartName, type Row, type Seen, type Subject } from './row.ts';
import { specification } from './specification.ts';
import { notChecked, PATIENCE_MS, targetAt, type FirstLook } from './target.ts';
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
const LATE = `not checked: the ${TOTAL_MS / 1000} seconds for all rows were over`;

const task: Task = JSON.parse(process.argv[2] ?? '');
const target = targetAt(task.url, task.insecure);
if (typeof target === 'string') throw new Error(target); // main.ts has checked it
const parts = [specification, decisions, wire].map((part) => part({ authority: target.authority, isSecure: task.url.startsWith('https:'), environment: task.environment ?? undefined }));
const reasons = notChecked(task);

const seen: Seen[] = [];
const results = new Map<Row, RowResult | 'out of time'>();
const overAt = Date.now() + TOTAL_MS;
const talk = talker({ connect: target.connect, now: Date.now, patienceMs: () => Math.min(PATIENCE_MS, overAt - Date.now()) });

/** Checks rows, each when one of the `AT_ONCE` before it is done. */
async function check(rows: readonly Row[]): Promise<void> {
  const queue = rows.values();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const row of queue) results.set(row, Date.now() < overAt ? await hold(row, talk, seen) : 'out of time');
  }));
}

const checked = parts.flatMap(({ sections }) => sections.flatMap(({ rows }) => rows)).filter(({ needs }) => reasons[needs ?? ''] === undefined);
await check(checked.filter(({ review }) => review?.of !== 'run'));
await check(checked.filter(({ review }) => review?.of === 'run')); // they review what the others have seen

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
          test(row.says, { skip: reasons[row.needs ?? ''] ?? false }, (t) => {
            const result = results.get(row);
            if (result === undefined || result === 'holds') return;
            if (result === 'not checked') return t.skip('not checked: no reply had the status that this is about');
            if (result === 'out of time' && !enforced) return t.skip(LATE);
            if (result === 'out of time') throw new Difference(LATE);
            const place = `${TITLES[part.name]}, "${heading}"`; // reporters do not print it beside a failure
            if (enforced) throw new Difference(`${place}\n${describeDifference(result)}`);
            t.todo(`differs, but --${part.name} was not given`); // reported, and not counted as a failure
            throw new Difference(`${place}\n${summarizeDifference(result)}`);
          });
        }
      });
    }
  });
}

process.send?.(parts.map(({ name, sections }): Summary => {
  const rows = sections.flatMap((section) => section.rows.map((row) => ({ says: `${section.heading}: ${row.says}`, result: results.get(row) })));
  const holding = rows.filter(({ result }) => result === 'holds').length;
  const differing = rows.filter(({ result }) => typeof result === 'object').map(({ says }) => says);
  return { part: name, holding, differing, notChecked: rows.length - holding - differing.length };
}));
