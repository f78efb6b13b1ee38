// The program of `npm run contract -- URL`, which start.js starts: checks the server at a URL against the contract.
import { parseArgs } from 'node:util';
import { decisions } from './decisions.ts';
import { describe, hold, type Difference, type Sections, type Subject } from './row.ts';
import { CannotCheck, lookAt, mapAll, talker, targetAt } from './server.ts';
import { specification } from './specification.ts';
import { wire } from './wire.ts';

const USAGE = `Usage: npm run contract -- URL [options]

Checks the server at URL, which is http://HOST[:PORT], https://HOST[:PORT] or unix:PATH.

  --decisions, --wire, --all     checks the decisions, the wire or both, too, and not the specification alone
  --development, --production    the server must have an API description, or must not; by default it may
  --insecure                     accept any TLS certificate

Exit code: 0 all rows hold, 1 at least one does not, 2 nothing could be checked.`;

type Print = { readonly report: (text: string) => void; readonly summary: (text: string) => void };

const PARTS: Readonly<Record<string, (subject: Subject) => Sections>> = { specification, decisions, wire };

const flag = { type: 'boolean', default: false } as const;
const FLAGS = { decisions: flag, wire: flag, all: flag, development: flag, production: flag, insecure: flag };

function readOptions(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
    const [url, another] = positionals;
    if (url === undefined || another !== undefined) throw new Error('One URL is checked at a time.');
    if (values.development && values.production) throw new Error('A server is not in Development and in Production.');
    return { url, ...values };
  } catch (error) {
    throw new CannotCheck(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

async function check(options: ReturnType<typeof readOptions>, print: Print): Promise<number> {
  const { url, insecure, development, production, all, ...values } = options;
  const target = targetAt(url, insecure);
  const { isDescribed, takesAnyHost } = await lookAt(target);
  const inDevelopment = development || (isDescribed && !production);
  const subject = { ...target, environment: inDevelopment ? 'development' as const : 'production' as const };
  const reasons = { // why a row is not checked
    'an exception': 'an exception cannot be provoked from outside',
    'any host': takesAnyHost ? undefined : 'the server accepts only certain hosts (421)',
    'no TLS': target.isSecure ? 'the server has TLS' : undefined,
  };
  const asked: Readonly<Record<string, boolean>> = { ...values, specification: true };
  let differ = 0;
  for (const [part, make] of Object.entries(PARTS).filter(([name]) => all || asked[name] === true)) {
    const rows = Object.entries(make(subject)).flatMap(([heading, own]) => own.map((row) => ({ heading, row })));
    const results = await mapAll(rows, async ({ row }): Promise<Difference | string> =>
      (row.needs && reasons[row.needs]) ?? hold(row, talker(target.open)));
    for (const [i, { heading, row: { says } }] of rows.entries()) {
      const [result = '', title] = [results[i], `The ${part}, ${heading}: ${says}`];
      if (typeof result !== 'string') print.report(`✖ ${title}\n${describe(result)}`);
      else if (result !== 'holds') print.report(`- ${title} (not checked: ${result})`);
    }
    const holding = results.filter((result) => result === 'holds').length;
    const differing = results.filter((result) => typeof result === 'object').length;
    const others = rows.length - holding - differing;
    print.summary(`The ${part}: ${holding} hold, ${differing} differ, ${others} not checked`);
    differ += differing;
  }
  return Math.min(differ, 1);
}

/** Runs the command, and resolves with its exit code. */
export async function run(args: readonly string[], print: Print): Promise<number> {
  try {
    return await check(readOptions(args), print);
  } catch (error) {
    if (!(error instanceof CannotCheck)) throw error;
    print.summary(error.message);
    return 2;
  }
}
