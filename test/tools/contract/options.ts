// The command line of `npm run contract`.
import { parseArgs } from 'node:util';

/** Why nothing can be checked, as a sentence for the person who wants it. */
export class CannotCheck extends Error {}

export const USAGE = `Usage: npm run contract -- URL [options]

Checks the server at URL against the specification of the greeting service. URL is http://HOST[:PORT],
https://HOST[:PORT] or unix:PATH.

  --decisions      differences from the decisions make the exit code 1, too
  --wire           differences from the wire (illegal and unusual requests) do so, too
  --all            the two options above together
  --development    the server must have an API description, at /openapi/v1.json
  --production     the server must not have one (without these two options it may)
  --grammar        instead, count the words that the server takes and the grammar does not, and the other way round
  --insecure       accept any TLS certificate

Exit code: 0 all rows that count hold, 1 at least one does not, 2 nothing could be checked.`;

const FLAGS = ['decisions', 'wire', 'all', 'development', 'production', 'grammar', 'insecure'];

/** The options in `args`. Throws the first mistake in them. */
export function readOptions(args: readonly string[]) {
  const options = Object.fromEntries(FLAGS.map((name) => [name, { type: 'boolean' } as const]));
  const { positionals: [url, another], values } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false });
  const mistake = (says: string) => new CannotCheck(`${says}\n\n${USAGE}`);
  const unknown = Object.keys(values).find((name) => !FLAGS.includes(name));
  if (unknown !== undefined) throw mistake(`The option --${unknown} is not known.`);
  if (url === undefined) throw mistake('No URL was given.');
  if (another !== undefined) throw mistake(`One URL is checked at a time; given were ${url} and ${another}.`);
  if (values['development'] && values['production']) throw mistake('A server is in Development or in Production: give one of the two.');
  return {
    url,
    /** The parts whose differences make the command fail. */
    enforced: ['specification', ...['decisions', 'wire'].filter((part) => values['all'] ?? values[part])],
    /** Whether there must be a description; undefined: there may be one. */
    environment: (['development', 'production'] as const).find((environment) => values[environment]),
    grammar: values['grammar'] === true,
    insecure: values['insecure'] === true,
  };
}
