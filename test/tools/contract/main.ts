// The program of `npm run contract -- URL`, which `start.js` starts: checks the server at a URL against the contract, and prints a report.
import { decisions } from './decisions.ts';
import { describeLanguage, languageOf, RULES } from './grammar.ts';
import { CannotCheck, readOptions, USAGE } from './options.ts';
import { checksOf, countResults, describeChecks } from './report.ts';
import { hold } from './row.ts';
import { specification } from './specification.ts';
import { forEach, talker } from './talk.ts';
import { lookAt, PATIENCE_MS, targetAt } from './target.ts';
import { wire } from './wire.ts';

const NOTHING_CHECKED = 2;
const RUN_MS = 60_000; // no row begins later, so that a run with a silent server ends
const WORDS = 2_000; // of each rule of the grammar
const GIVEN_UP = `the time of ${RUN_MS / 1000} seconds was over`;

async function check(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  const target = targetAt(options);
  const { isDescribed, takesAnyHost } = await lookAt(target);
  if (options.grammar) {
    for (const rule of RULES) {
      const language = await languageOf(rule, target.connect, WORDS);
      console.log(describeLanguage(language));
      if (language.takes.length + language.refuses.length > 0) process.exitCode = 1;
    }
    return;
  }
  const subject = { ...target, environment: options.environment ?? (isDescribed ? 'development' : 'production') };
  const reasons = { // why a row is not checked
    'an exception': 'an exception cannot be provoked from outside',
    'any host': takesAnyHost ? undefined : 'the server accepts only certain hosts (421)',
  };
  const all = checksOf({ specification: specification(subject), decisions: decisions(subject), wire: wire(subject) });
  const talk = talker(target.connect, PATIENCE_MS);
  const overAt = Date.now() + RUN_MS;
  await forEach(all, async (one) => {
    const reason = one.row.needs && reasons[one.row.needs];
    one.result = reason ?? (Date.now() < overAt ? await hold(one.row, talk) : GIVEN_UP);
  });
  console.log(describeChecks(all));
  console.error(countResults(all)); // so that stdout has only the report
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
