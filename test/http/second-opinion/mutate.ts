// Changes a request in ways that are often misread: bytes are removed, replaced, repeated, or joined by others.
import type { Random } from '../../support/random.ts';

const PIECES: readonly [string, ...string[]] = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\r\r\n', '\0', '\t', ' ', ' \t', '\v', '\f', '\x7f', '\x80', '\xff', ';', '=', '"', '\\', ':', ',', '/',
  '?', '#', '%', '%41', '*', '@', '[', ']', '-', '+', '.', '0', '9', 'F', ': ', ';a', ';a="b"', ' ; a', '\\"', '00', '0x', '99999999',
  'http://', ':80', '//', '0\r\n\r\n', '3\r\nabc\r\n', 'GET ', ' HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'RTSP/1.0', 'SOURCE',
  'CONNECT', 'close', 'keep-alive', 'upgrade', 'chunked', 'gzip', '100-continue', 'a:80',
];
const LINES: readonly [string, ...string[]] = [
  'X: y', 'X', 'X : y', ': y', ' folded', '', '3', 'Host: b', 'Host:', 'Content-Length: 3', 'Content-Length: 03', 'Content-Length:\t0\t',
  'Transfer-Encoding: chunked', 'Transfer-Encoding:chunked\t', 'Transfer-Encoding: gzip, chunked', 'Connection: close',
  'Connection: keep-alive', 'Connection: ,close\t', 'Connection: upgrade', 'Upgrade: a', 'Proxy-Connection: close', 'Expect: 100-continue',
];
const DELIMITER = /[\s:;=",/]/;
const WORD = /[^\s:;=,"]+/;

/** `text`, which has one character for each byte, with one change. */
export function mutated(text: string, { below, pick }: Random): string {
  const anywhere = below(text.length + 1);
  const at = anywhere + (below(2) === 0 ? 0 : Math.max(0, text.slice(anywhere).search(DELIMITER)));
  const length = 1 + below(pick([1, 1, 1, 4, 30]));
  const [before, piece, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  switch (below(12)) {
    case 0: return before + after;
    case 1: return before + piece + piece + after;
    case 2: return before + pick(PIECES) + after;
    case 3: return before + String.fromCharCode(below(256)) + piece + after;
    case 4: return before + String.fromCharCode(below(256)) + after;
    case 5: return before + (piece + after).replace(WORD, () => pick(PIECES));
    case 6: case 7: case 8: case 9: {
      const lines = text.split(/(?<=\r\n)/);
      return lines.toSpliced(below(lines.length + 1), 0, `${pick(LINES)}\r\n`).join('');
    }
    default: return before + pick(PIECES) + piece + after;
  }
}
