// The command line of `npm run contract`.
import { parseArgs } from 'node:util';

/** Why nothing can be checked, as a sentence for the person who wants it. */
export class CannotCheck extends Error {}

export const USAGE = `Usage: npm run contract -- URL [options]

Checks the server at URL against the specification of the greeting service. URL is http://HOST[:PORT], https://HOST[:PORT] or unix:PATH.

  --decisions, --wire, --all     differences from the decisions, from the wire or from both make the exit code 1, too
  --development, --production    the server must have an API description, or must not; by default it may
  --grammar                      instead, count the words that the server takes and the grammar does not, and the other way round
  --insecure                     accept any TLS certificate

Exit code: 0 all rows that count hold, 1 at least one does not, 2 nothing could be checked.`;

const flag = { type: 'boolean', default: false } as const;
const OPTIONS = {
  decisions: flag, wire: flag, all: flag, development: flag, production: flag, grammar: flag, insecure: flag,
};

/** The options in `args`. Throws the first mistake in them, and the usage. */
export function readOptions(args: readonly string[]) {
  try {
    const { positionals: [url, another], values } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    const { decisions, wire, all, development, production, grammar, insecure } = values;
    if (url === undefined || another !== undefined) throw new Error('One URL is checked at a time.');
    if (development && production) throw new Error('A server is in Development or in Production: give one of the two.');
    return {
      url, grammar, insecure,
      /** The parts whose differences make the command fail. */
      enforced: ['specification', ...(decisions || all ? ['decisions'] : []), ...(wire || all ? ['wire'] : [])],
      /** Whether there must be a description; undefined: there may be one. */
      environment: development ? 'development' as const : production ? 'production' as const : undefined,
    };
  } catch (error) {
    throw new CannotCheck(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}
