// Describes what was found in words and bytes, for a person.
import { inspect } from 'node:util';
import type { Difference, Row, Sections } from './row.ts';

/** A row, where it is from, and whether it holds: `holds`, where it differs, or why it was not checked. */
type Check = { readonly part: string; readonly heading: string; readonly row: Row; result: Difference | string };

/** The rows of these parts, in order. */
export function checksOf(parts: Readonly<Record<string, Sections>>): Check[] {
  return Object.entries(parts).flatMap(([part, sections]) => Object.entries(sections).flatMap(([heading, rows]) =>
    rows.map((row): Check => ({ part, heading, row, result: '' }))));
}

/** The rows that do not hold, and why. */
export function describeChecks(all: readonly Check[]): string {
  return all.filter(({ result }) => result !== 'holds').map(({ part, heading, row: { says }, result }) => {
    const title = `The ${part}, ${heading}: ${says}`;
    return typeof result === 'string' ? `- ${title} (not checked: ${result})` : `✖ ${title}\n${describeDifference(result)}`;
  }).join('\n');
}

/** The bytes that were sent, the expectations that are not met, and the bytes that were received. */
export function describeDifference({ send, expected, talk: { bytes, end, rest, error } }: Difference): string {
  const part = rest.length > 0 ? [`(${rest.length} bytes that are not a whole reply)`] : [];
  const ending = `(the end of the connection: ${end}${error === undefined ? '' : `, ${error}`})`;
  return Object.entries({ sent: shown(send), expected, received: [...shown(bytes.toString('utf8')), ...part, ending] })
    .flatMap(([what, lines]) => [`  ${what}`, ...lines.map((line) => `    ${line}`)]).join('\n');
}

/** How many rows of each part hold, differ and were not checked. */
export function countResults(all: readonly Check[]): string {
  return Array.from(new Set(all.map(({ part }) => part)), (name) => {
    const own = all.filter(({ part }) => part === name);
    const differing = own.filter(({ result }) => typeof result === 'object').length;
    const holding = own.filter(({ result }) => result === 'holds').length;
    return `The ${name}: ${holding} hold, ${differing} differ, ${own.length - holding - differing} not checked`;
  }).join('\n');
}

const MAX_LINES = 24;

// The lines of `bytes`, without the CRLF at their ends, as node shows strings: control characters are escaped, and a long line is cut.
function shown(bytes: string): string[] {
  const lines = bytes.replace(/(?:\r\n)+$/, '').split('\r\n').map((line) => inspect(line, { maxStringLength: 300, breakLength: Infinity }));
  return [...lines.slice(0, MAX_LINES), ...(lines.length > MAX_LINES ? [`(${lines.length - MAX_LINES} more lines)`] : [])];
}
