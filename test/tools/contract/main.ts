// The program of `npm run contract -- URL`, which `start.js` starts: checks the server at a URL against the contract. Each row is a test of
// node's test runner, whose reporter prints the result.
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { decisions } from './decisions.ts';
import { describeLanguages, languagesOf } from './grammar.ts';
import { CannotCheck, readOptions, USAGE } from './options.ts';
import { countResults, describeDifference } from './report.ts';
import { hold, type Row, type RowResult, type Seen } from './row.ts';
import { specification } from './specification.ts';
import { talker, type Talker } from './talk.ts';
import { lookAt, PATIENCE_MS, targetAt } from './target.ts';
import { wire } from './wire.ts';

const NOTHING_CHECKED = 2;
const AT_ONCE = 16; // rows at once, because most of the time is spent waiting for the server
const MOST_LATE = 120; // connections on which the server is late. No row begins after them, so that a run with a silent server ends.
const WORDS = 2_000; // of each rule of the grammar
const GIVEN_UP = `not checked: the server was late on ${MOST_LATE} connections before`;

/** What reporters print of it is the message alone: a stack trace of this program says nothing about a difference. */
class Difference extends Error {
  [inspect.custom](): string {
    return this.message;
  }
}

async function check(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  const target = targetAt(options);
  const { isDescribed, takesAnyHost } = await lookAt(target);
  if (options.grammar) {
    const languages = await languagesOf(target.connect, WORDS);
    console.log(describeLanguages(languages));
    process.exitCode = Number(languages.some(({ takes, refuses }) => takes.length + refuses.length > 0));
    return;
  }
  const subject = { ...target, environment: options.environment ?? (isDescribed ? 'development' : undefined) };
  const parts = { specification: specification(subject), decisions: decisions(subject), wire: wire(subject) };
  const reasons = { // why a row is not checked
    'an exception': 'not checked: an exception cannot be provoked from outside',
    'any host': !takesAnyHost && 'not checked: the server accepts only certain hosts (421)',
    'the environment': 'not checked: the server has no description, and without --development or --production it may have one or not',
  };
  const reasonOf = ({ needs }: Row) => needs !== undefined && reasons[needs];

  const seen: Seen[] = [];
  const results = new Map<Row, RowResult | 'given up'>();
  let late = 0;
  const talkInTime = talker(target.connect, PATIENCE_MS);
  const talk: Talker = async (...asked) => {
    const talked = await talkInTime(...asked);
    if (talked.end === 'late') late += 1;
    return talked;
  };
  const checked = Object.values(parts).flatMap(Object.values<readonly Row[]>).flat().filter((row) => reasonOf(row) === false);
  for (const isLast of [false, true]) { // those that review the whole run come after all others
    const queue = checked.filter(({ review }) => (review?.of === 'run') === isLast).values();
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (const row of queue) results.set(row, late < MOST_LATE ? await hold(row, talk, seen) : 'given up');
    }));
  }

  Error.stackTraceLimit = 0;
  for (const [name, sections] of Object.entries(parts)) {
    const isEnforced = options.enforced.includes(name);
    describe(`The ${name}`, () => {
      for (const [heading, rows] of Object.entries(sections)) {
        describe(heading, () => {
          for (const row of rows) {
            test(row.says, { skip: reasonOf(row) }, (t) => {
              const result = results.get(row);
              if (result === undefined || result === 'holds') return;
              if (result === 'not checked') return t.skip('not checked: no reply had the status that this is about');
              if (result === 'given up' && !isEnforced) return t.skip(GIVEN_UP);
              if (result === 'given up') throw new Difference(GIVEN_UP);
              if (!isEnforced) t.todo(`differs, but --${name} was not given`); // reported, and not counted as a failure
              throw new Difference(`The ${name}, "${heading}"\n${describeDifference(result)}`); // reporters do not print the place
            });
          }
        });
      }
    });
  }
  // To stderr, so that stdout has only the output of the reporter.
  process.once('exit', () => console.error(countResults(target.url, parts, options.enforced, (row) => results.get(row))));
}

const args = process.argv.slice(2);
try {
  if (args.includes('--help')) console.log(USAGE);
  else await check(args);
} catch (error) {
  if (!(error instanceof CannotCheck)) throw error;
  console.error(error.message);
  process.exitCode = NOTHING_CHECKED;
}
