// Describes a difference in words and bytes, for a person.
import type { Difference } from './hold.ts';
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
const MAX_LINE_LENGTH = 300;

// The lines of `bytes`, without the CRLF at their ends. Any other control character is escaped.
function shown(bytes: string): string[] {
  const lines = bytes.replace(/(?:\r\n)+$/, '').split('\r\n').map((line) => abbreviate(escapeControls(line)));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 6), `(${lines.length - MAX_LINES + 2} more lines)`, ...lines.slice(-4)];
}

function escapeControls(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (char) => {
    const short: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t' };
    return short[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

// `aaaa…` of 81 letters becomes `(a × 81)`.
function abbreviate(line: string): string {
  const short = line.replace(/(.{1,12}?)\1{29,}/gu, (run, unit: string) => `(${unit} × ${run.length / unit.length})`);
  return short.length > MAX_LINE_LENGTH ? `${short.slice(0, MAX_LINE_LENGTH)} (${short.length - MAX_LINE_LENGTH} more characters)` : short;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
