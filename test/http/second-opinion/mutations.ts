// Requests made from the corpus: some bytes are removed, replaced, repeated, or joined by others that are often misread.
import type { Random } from '../../support/random.ts';
import { LONG, SHORT } from './corpus.ts';

const PIECES: readonly [string, ...string[]] = [
  '\r', '\n', '\r\n', '\n\n', '\r\n\r\n', '\r\r\n', '\0', '\t', ' ', '  ', ' \t', '\v', '\f', '\x1f', '\x7f', '\x80', '\xa0', '\xff',
  ';', '=', '"', '\\', ':', ',', '/', '?', '#', '%', '%41', '*', '@', '[', ']', '(', '<', '|', '-', '+', '.', '_', '0', '1', '9', 'a', 'F',
  ': ', ';a', ';a=b', ';a="b"', ' ; a', '=""', '\\"', '00', '0x', '1e1', '99999999', 'http://', 'https://', ':80', ':443', '//', '0\r\n', '0\r\n\r\n', '3\r\nabc\r\n',
  'GET ', ' HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'RTSP/1.0', 'ICE/1.1', 'SOURCE', 'CONNECT', 'close', 'keep-alive', 'upgrade',
  'chunked', 'gzip', 'identity', '100-continue', 'a:80',
];

const LINES: readonly [string, ...string[]] = [
  'X: y', 'X:', 'X', 'X : y', ': y', ' folded', '\tfolded', '', '0', '3', 'Host: b', 'Host:', 'Content-Length: 3', 'Content-Length: 03',
  'Content-Length:\t0\t', 'Transfer-Encoding: chunked', 'Transfer-Encoding:chunked\t', 'Transfer-Encoding: gzip, chunked',
  'Connection: close', 'Connection: keep-alive', 'Connection: ,close\t', 'Connection: upgrade', 'Upgrade: a', 'Proxy-Connection: close',
  'Expect: 100-continue', 'Expect: a', 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
];

// What follows, so that most requests are whole or refused.
const BEHIND: readonly [string, ...string[]] = [
  '', '\r\n\r\n', '0\r\n\r\n', '\r\n0\r\n\r\n', 'abc\r\n0\r\n\r\n', 'GET /b HTTP/1.1\r\nHost: b\r\n\r\n',
];

const DELIMITER = /[\s:;=",/]/;
const WORD = /[^\s:;=,"]+/;

/** A request for `random`. One character for each byte. */
export function mutatedRequest(random: Random): string {
  const { below, pick } = random;
  let text = below(100) === 0 ? pick(LONG) : pick(SHORT);
  for (let mutations = pick([1, 1, 1, 2, 3]); mutations > 0; mutations -= 1) text = mutate(text, random);
  return text + pick(BEHIND);
}

function mutate(text: string, { below, pick }: Random): string {
  const anywhere = below(text.length + 1);
  const at = anywhere + (below(2) === 0 ? 0 : Math.max(0, text.slice(anywhere).search(DELIMITER)));
  const length = 1 + below(pick([1, 1, 1, 4, 30]));
  const [before, piece, behind] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  switch (below(12)) {
    case 0: return before + behind;
    case 1: return before + piece + piece + behind;
    case 2: return before + pick(PIECES) + behind;
    case 3: return before + String.fromCharCode(below(256)) + piece + behind;
    case 4: return before + String.fromCharCode(below(256)) + behind;
    case 5: return before + (piece + behind).replace(WORD, () => pick(PIECES));
    case 6: return withLine(text, below(100), (lines) => lines[below(lines.length)] ?? '');
    case 7: case 8: case 9: return withLine(text, below(100), () => `${pick(LINES)}\r\n`);
    default: return before + pick(PIECES) + piece + behind;
  }
}

/** The text with another line in one of its first lines. */
function withLine(text: string, at: number, lineFor: (lines: readonly string[]) => string): string {
  const lines = text.split(/(?<=\r\n)/);
  return lines.toSpliced(at % (lines.length + 1), 0, lineFor(lines)).join('');
}
