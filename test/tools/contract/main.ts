// The program of `npm run contract -- URL`, which start.js starts: checks the server at a URL against the contract.
import { parseArgs } from 'node:util';
import { decisions } from './decisions.ts';
import { describe, hold, type Subject } from './row.ts';
import { lookAt, talker, targetAt } from './server.ts';
import { specification } from './specification.ts';
import { wire } from './wire.ts';

const USAGE = `Usage: npm run contract -- URL [--all] [--development | --production] [--insecure]
URL is http://HOST[:PORT], https://HOST[:PORT] or unix:PATH. See test/tools/contract/README.md.`;

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
    const reports: string[] = [];
    for (const [heading, rows] of Object.entries(make(subject))) { // one after the other: each row has a connection
      reports.push(...await Promise.all(rows.map(async (row) => {
        const title = `The ${part}, ${heading}: ${row.says}`;
        const reason = row.needs && reasons[row.needs];
        if (reason !== undefined) return `- ${title} (not checked: ${reason})`;
        const result = await hold(row, talker(target.open));
        return result === 'holds' ? '' : `✖ ${title}\n${describe(result)}`;
      })));
    }
    for (const text of reports) if (text !== '') print.report(text);
    const count = (mark: string) => reports.filter((text) => text.charAt(0) === mark).length;
    print.summary(`The ${part}: ${count('')} hold, ${count('✖')} differ, ${count('-')} not checked`);
    if (count('✖') > 0) exitCode = 1;
  }
  return exitCode;
}
