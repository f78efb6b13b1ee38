// Describes what was found in words and bytes, for a person.
import { inspect } from 'node:util';
import type { Difference } from './hold.ts';
import { titleOf, type Part, type PartName, type Row } from './row.ts';
import type { Talk } from './talk.ts';

/** The bytes that were sent, the expectations that are not met, and the bytes that were received. */
export function describeDifference({ send, expected, talk }: Difference): string {
  return [
    'sent', ...indent(shown(send)),
    'expected', ...indent(expected.flatMap((line) => line.split('\n'))),
    'received', ...indent([...shown(talk.bytes.toString('utf8')), ...endOf(talk).map((end) => `(${end})`)]),
  ].join('\n');
}

/** The same on one line, without the bytes. */
export function summarizeDifference({ expected, talk }: Difference): string {
  const lines = talk.replies.map(({ statusLine }) => statusLine);
  return `expected ${expected.join('; ')}. Received ${[...lines, ...endOf(talk)].join(', ')}.`;
}

/** The number of rows of each part that hold, that differ and that were not checked, and the rows that differ in the enforced parts. */
export function countResults(url: string, parts: readonly Part[], enforced: readonly PartName[], resultOf: (row: Row) => unknown): string {
  const width = Math.max(19, url.length + 1);
  const line = (title: string, ...cells: readonly unknown[]) =>
    title.padEnd(width) + cells.map((cell, i) => String(cell).padStart([7, 9, 14][i] ?? 0)).join('');
  return ['', line(`${url}:`, 'hold', 'differ', 'not checked'), ...parts.flatMap(({ name, sections }) => {
    const rows = sections.flatMap((section) =>
      section.rows.map((row) => ({ says: `${section.heading}: ${row.says}`, result: resultOf(row) })));
    const differing = rows.filter(({ result }) => typeof result === 'object');
    const holding = rows.filter(({ result }) => result === 'holds');
    const counts = line(`  ${titleOf(name)}`, holding.length, differing.length, rows.length - holding.length - differing.length);
    if (enforced.includes(name)) return [counts, ...differing.map(({ says }) => `    ✖ ${says}`)];
    return [differing.length === 0 ? counts : `${counts}   (--${name} makes these count, and shows the bytes)`];
  })].join('\n');
}

// Describes the end of a connection. There is nothing to say when this program has closed it after enough replies.
function endOf({ end, rest, error }: Talk): string[] {
  const behind = rest.length > 0 ? [`${rest.length} bytes that are not a whole reply`] : [];
  switch (end) {
    case 'closed': return [...behind, 'the connection was closed'];
    case 'reset': return [...behind, `the connection was reset${error === undefined ? '' : `: ${error}`}`];
    case 'silent': return [...behind, 'nothing more arrived, and the connection is open'];
    case 'enough': return behind;
  }
}

const MAX_LINES = 24;

// The lines of `bytes`, without the CRLF at their ends, as node shows strings: control characters are escaped, and a long line is cut.
function shown(bytes: string): string[] {
  const lines = bytes.replace(/(?:\r\n)+$/, '').split('\r\n').map((line) => inspect(line, { maxStringLength: 300, breakLength: Infinity }));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 6), `(${lines.length - MAX_LINES + 2} more lines)`, ...lines.slice(-4)];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
