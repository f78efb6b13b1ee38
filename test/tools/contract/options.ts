// The command line of `npm run contract`.
import type { PartName } from './row.ts';

export type Options = {
  readonly url: string;
  /** The parts whose differences make the command fail. */
  readonly enforced: readonly PartName[];
  /** Whether there must be a description; undefined: there may be one. */
  readonly environment: 'development' | 'production' | undefined;
  /** Whether any TLS certificate is accepted. */
  readonly insecure: boolean;
  /** Flags for node's test runner. */
  readonly runnerFlags: readonly string[];
};

export const USAGE = `Usage: npm run contract -- URL [options]

Checks the server at URL against the specification of the greeting service. URL is http://HOST[:PORT],
https://HOST[:PORT] or unix:PATH.

  --decisions      differences from the decisions make the exit code 1, too
  --wire           differences from the wire (illegal and unusual requests) do so, too
  --all            the two options above together
  --development    the server must have an API description, at /openapi/v1.json
  --production     the server must not have one (without these two options it may)
  --insecure       accept any TLS certificate
  --test-…         an option of node's test runner, such as --test-reporter=tap

Exit code: 0 all rows that count hold, 1 at least one does not, 2 nothing could be checked.`;

const FLAGS: Readonly<Record<string, Partial<Omit<Options, 'url' | 'runnerFlags'>>>> = {
  '--decisions': { enforced: ['decisions'] },
  '--wire': { enforced: ['wire'] },
  '--all': { enforced: ['decisions', 'wire'] },
  '--development': { environment: 'development' },
  '--production': { environment: 'production' },
  '--insecure': { insecure: true },
};

/** The options in `args`, or a sentence about the first mistake in them. */
export function readOptions(args: readonly string[]): Options | string {
  const urls = args.filter((arg) => !arg.startsWith('-'));
  const runnerFlags = args.filter((arg) => arg.startsWith('--test-'));
  const flags = args.filter((arg) => arg.startsWith('-') && !arg.startsWith('--test-'));
  const [url] = urls;
  if (url === undefined) return 'No URL was given.';
  if (urls.length > 1) return `One URL is checked at a time; given were ${urls.join(' and ')}.`;
  const unknown = flags.find((flag) => FLAGS[flag] === undefined);
  if (unknown !== undefined) return `The option ${unknown} is not known.`;
  const chosen = flags.map((flag) => FLAGS[flag] ?? {});
  const environments = new Set(chosen.flatMap(({ environment }) => environment ?? []));
  if (environments.size > 1) return 'A server is in Development or in Production: give one of the two.';
  return {
    url,
    enforced: ['specification', ...chosen.flatMap(({ enforced }) => enforced ?? [])],
    environment: [...environments][0],
    insecure: chosen.some(({ insecure }) => insecure === true),
    runnerFlags,
  };
}
