// The program of `npm run contract -- URL`, which `start.js` starts: checks the server at a URL against the contract, and prints a report.
import { decisions } from './decisions.ts';
import { describeLanguages, languagesOf } from './grammar.ts';
import { CannotCheck, readOptions, USAGE } from './options.ts';
import { countResults, describeResult, type Result } from './report.ts';
import { hold, type Row, type Seen } from './row.ts';
import { specification } from './specification.ts';
import { talker, type Talker } from './talk.ts';
import { lookAt, PATIENCE_MS, targetAt } from './target.ts';
import { wire } from './wire.ts';

const NOTHING_CHECKED = 2;
const AT_ONCE = 16; // rows at once, because most of the time is spent waiting for the server
const MOST_LATE = 120; // connections on which the server is late. No row begins after them, so that a run with a silent server ends.
const WORDS = 2_000; // of each rule of the grammar
const GIVEN_UP = `not checked: the server was late on ${MOST_LATE} connections before`;

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
    'any host': takesAnyHost ? undefined : 'not checked: the server accepts only certain hosts (421)',
    'the environment': 'not checked: the server has no description, and without --development or --production it may have one or not',
  };

  const seen: Seen[] = [];
  const results = new Map<Row, Result>();
  let late = 0;
  const talkInTime = talker(target.connect, PATIENCE_MS);
  const talk: Talker = async (...asked) => {
    const talked = await talkInTime(...asked);
    if (talked.end === 'late') late += 1;
    return talked;
  };
  async function checkRow(row: Row): Promise<Result> {
    const reason = row.needs && reasons[row.needs];
    return reason ?? (late < MOST_LATE ? await hold(row, talk, seen) : GIVEN_UP);
  }
  const rows = Object.values(parts).flatMap(Object.values<readonly Row[]>).flat();
  for (const isLast of [false, true]) { // those that review the whole run come after all others
    const queue = rows.filter(({ review }) => (review?.of === 'run') === isLast).values();
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (const row of queue) results.set(row, await checkRow(row));
    }));
  }

  let isWrong = false;
  const resultOf = (row: Row) => results.get(row) ?? GIVEN_UP;
  for (const [name, sections] of Object.entries(parts)) {
    for (const [heading, inSection] of Object.entries(sections)) {
      console.log(`\nThe ${name}, ${heading}`);
      for (const row of inSection) {
        const result = resultOf(row);
        console.log(describeResult(row, result));
        if (options.enforced.includes(name)) isWrong ||= result === GIVEN_UP || typeof result === 'object';
      }
    }
  }
  console.error(countResults(parts, options.enforced, resultOf)); // so that stdout has only the report
  process.exitCode = Number(isWrong);
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
