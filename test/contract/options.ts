// The command line of `npm run contract`.
import type { PartName } from './row.ts';

export type Options = {
  readonly url: string;
  /** The parts whose differences make the command fail. */
  readonly enforced: readonly PartName[];
  /** What the description is held to; undefined: it may be there or not. */
  readonly environment: 'development' | 'production' | undefined;
  /** Any TLS certificate is accepted. */
  readonly insecure: boolean;
  /** Handed on to node's test runner. */
  readonly runnerFlags: readonly string[];
};

export const USAGE = `Usage: npm run contract -- URL [options]

Holds the server at URL to the greeting service's specification. URL is http://HOST[:PORT],
https://HOST[:PORT] or unix:PATH.

  --decisions      differences from the decisions count: the exit code is then 1
  --wire           differences from the wire (illegal and unusual requests) count
  --all            both of these
  --development    the server must have its description, at /openapi/v1.json
  --production     it must not have it (with neither: it may)
  --insecure       accept any TLS certificate
  --test-…         handed on to node's test runner: --test-reporter=tap, say

Exit code: 0 all rows that count hold, 1 some do not, 2 nothing could be checked.`;

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
