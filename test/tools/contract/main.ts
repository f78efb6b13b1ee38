// The program of `npm run contract -- URL`, which `start.js` starts: checks the server at a URL against the contract, and prints a report.
import { decisions } from './decisions.ts';
import { describeLanguages, languagesOf } from './grammar.ts';
import { CannotCheck, readOptions, USAGE } from './options.ts';
import { checksOf, countResults, describeChecks } from './report.ts';
import { hold, type Seen } from './row.ts';
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

  const all = checksOf(parts);
  const seen: Seen[] = [];
  let late = 0;
  const talkInTime = talker(target.connect, PATIENCE_MS);
  const talk: Talker = async (...asked) => {
    const talked = await talkInTime(...asked);
    if (talked.end === 'late') late += 1;
    return talked;
  };
  for (const isLast of [false, true]) { // those that review the whole run come after all others
    const queue = all.filter(({ row }) => (row.review?.of === 'run') === isLast).values();
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (const one of queue) {
        const reason = one.row.needs && reasons[one.row.needs];
        one.result = reason ?? (late < MOST_LATE ? await hold(one.row, talk, seen) : GIVEN_UP);
      }
    }));
  }
  console.log(describeChecks(all));
  console.error(countResults(all, options.enforced)); // so that stdout has only the report
  const isWrong = all.some(({ part, result }) => options.enforced.includes(part) && (typeof result === 'object' || result === GIVEN_UP));
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
