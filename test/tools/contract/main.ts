// The program of `npm run contract -- URL`, which start.js starts: checks the server at a URL against the contract.
import { parseArgs } from 'node:util';
import { decisions } from './decisions.ts';
import { describe, hold, type Subject } from './row.ts';
import { lookAt, mapAll, talker, targetAt } from './server.ts';
import { specification } from './specification.ts';
import { wire } from './wire.ts';

const USAGE = `Usage: npm run contract -- URL [options]

Checks the server at URL, which is http://HOST[:PORT], https://HOST[:PORT] or unix:PATH.

  --all                          checks the decisions and the wire, too, and not the specification alone
  --development, --production    the server must have an API description, or must not; by default it may
  --insecure                     accept any TLS certificate

Exit code: 0 all rows hold, 1 at least one does not, 2 nothing could be checked.`;

const flag = { type: 'boolean', default: false } as const;
const FLAGS = { all: flag, development: flag, production: flag, insecure: flag };

type Print = { readonly report: (text: string) => void; readonly summary: (text: string) => void };

/** Runs the command, and resolves with its exit code. */
export async function run(args: readonly string[], print: Print): Promise<number> {
  let help = `\n\n${USAGE}`; // is printed if the arguments are wrong
  try {
    const { positionals: [url, more], values } = parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
    if (url === undefined || more !== undefined) throw new Error('One URL is checked at a time.');
    if (values.development && values.production) throw new Error('A server is not in Development and in Production.');
    help = '';
    return await check(url, values, print);
  } catch (error) {
    print.summary(`${error instanceof Error ? error.message : String(error)}${help}`);
    return 2;
  }
}

async function check(url: string, options: Readonly<Record<keyof typeof FLAGS, boolean>>, print: Print) {
  const target = targetAt(url, options.insecure);
  const { isDescribed, takesAnyHost } = await lookAt(target);
  const isDevelopment = options.development || (isDescribed && !options.production);
  const subject: Subject = { ...target, environment: isDevelopment ? 'development' : 'production' };
  const reasons = { // why a row is not checked
    'an exception': 'an exception cannot be provoked from outside',
    'any host': takesAnyHost ? undefined : 'the server accepts only certain hosts (421)',
    'no TLS': target.isSecure ? 'the server has TLS' : undefined,
  };
  let exitCode = 0;
  const parts = options.all ? { specification, decisions, wire } : { specification };
  for (const [part, make] of Object.entries(parts)) {
    const rows = Object.entries(make(subject)).flatMap(([heading, own]) =>
      own.map((row) => ({ row, title: `The ${part}, ${heading}: ${row.says}` })));
    const reports = await mapAll(rows, async ({ row, title }) => {
      const reason = row.needs && reasons[row.needs];
      if (reason !== undefined) return `- ${title} (not checked: ${reason})`;
      const result = await hold(row, talker(target.open));
      return result === 'holds' ? '' : `✖ ${title}\n${describe(result)}`;
    });
    for (const text of reports) if (text !== '') print.report(text);
    const count = (mark: string) => reports.filter((text) => text.charAt(0) === mark).length;
    print.summary(`The ${part}: ${count('')} hold, ${count('✖')} differ, ${count('-')} not checked`);
    if (count('✖') > 0) exitCode = 1;
  }
  return exitCode;
}
