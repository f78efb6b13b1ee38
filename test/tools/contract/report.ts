// Describes what was found in words and bytes, for a person.
import { inspect } from 'node:util';
import type { Difference, Row, Sections } from './row.ts';

/** A row, where it is from, and whether it holds: `holds`, where it differs, or why it was not checked. */
export type Check = { readonly part: string; readonly heading: string; readonly row: Row; result: Difference | string };

/** The rows of these parts, in order. */
export function checksOf(parts: Readonly<Record<string, Sections>>): Check[] {
  return Object.entries(parts).flatMap(([part, sections]) => Object.entries(sections).flatMap(([heading, rows]) =>
    rows.map((row): Check => ({ part, heading, row, result: 'not checked' }))));
}

/** The rows under their headings, with their results. */
export function describeChecks(all: readonly Check[]): string {
  return all.map((one, i) => {
    const isNew = one.heading !== all[i - 1]?.heading;
    return (isNew ? `\nThe ${one.part}, ${one.heading}\n` : '') + describeCheck(one);
  }).join('\n');
}

function describeCheck({ row: { says }, result }: Check): string {
  if (typeof result === 'object') return `  ✖ ${says}\n${describeDifference(result).replace(/^/gm, '    ')}`;
  return result === 'holds' ? `  ✔ ${says}` : `  - ${says} (${result})`;
}

/** The bytes that were sent, the expectations that are not met, and the bytes that were received. */
export function describeDifference({ send, expected, talk }: Difference): string {
  const { bytes, end, rest, error } = talk;
  const part = rest.length > 0 ? [`(${rest.length} bytes that are not a whole reply)`] : [];
  const ends = { // there is nothing to say when this program has closed the connection after enough replies
    closed: ['(the connection was closed)'], late: ['(the time was over, and the connection is open)'], enough: [],
    reset: [`(the connection was reset${error === undefined ? '' : `: ${error}`})`],
  };
  const received = [...shown(bytes.toString('utf8')), ...part, ...ends[end]];
  return Object.entries({ sent: shown(send), expected: expected.flatMap((line) => line.split('\n')), received })
    .flatMap(([what, lines]) => [what, ...lines.map((line) => `  ${line}`)]).join('\n');
}

/** The number of rows of each part that hold, that differ and that were not checked, and the rows that differ in the enforced parts. */
export function countResults(all: readonly Check[], enforced: readonly string[]): string {
  return Array.from(new Set(all.map(({ part }) => part))).flatMap((name) => {
    const own = all.filter(({ part }) => part === name);
    const differing = own.filter(({ result }) => typeof result === 'object');
    const holding = own.filter(({ result }) => result === 'holds').length;
    const counts = `The ${name}: ${holding} hold, ${differing.length} differ, ${own.length - holding - differing.length} not checked`;
    if (enforced.includes(name)) return [counts, ...differing.map(({ heading, row }) => `  ✖ ${heading}: ${row.says}`)];
    return [differing.length === 0 ? counts : `${counts} (--${name} makes these count)`];
  }).join('\n');
}

const MAX_LINES = 24;

// The lines of `bytes`, without the CRLF at their ends, as node shows strings: control characters are escaped, and a long line is cut.
function shown(bytes: string): string[] {
  const lines = bytes.replace(/(?:\r\n)+$/, '').split('\r\n').map((line) => inspect(line, { maxStringLength: 300, breakLength: Infinity }));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 6), `(${lines.length - MAX_LINES + 2} more lines)`, ...lines.slice(-4)];
}
