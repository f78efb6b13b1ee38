// What a client sends: requests, one after the other, in as many steps as it likes.
import { emptyLines, type Part } from './part.ts';

/** A request of which at least one byte has been sent. */
export type SentPart = {
  readonly part: Part;
  /** Where it begins in all that the client has sent. */
  readonly from: number;
  /** How many of its bytes have been sent. */
  sent: number;
};

export const isWhole = ({ part, sent }: SentPart): boolean => sent === part.bytes.length;
/** Whether more than empty lines has been sent. */
export const hasBegun = ({ part, sent }: SentPart): boolean => sent > emptyLines(part);

export class Sending {
  readonly parts: SentPart[] = [];
  /** How many bytes have been sent. */
  length = 0;

  /** The bytes of these requests, but for the last `held` ones. In front of them is what is left of the request before. */
  next(parts: readonly Part[], held: number): string {
    let bytes = this.more(Infinity);
    parts.forEach((part, i) => {
      this.parts.push({ part, from: this.length, sent: 0 });
      bytes += this.more(i < parts.length - 1 ? Infinity : Math.max(1, part.bytes.length - held));
    });
    return bytes;
  }

  /** At most `count` more bytes of a request that has begun. */
  more(count: number): string {
    const latest = this.parts.at(-1);
    if (latest === undefined) return '';
    const bytes = latest.part.bytes.slice(latest.sent, latest.sent + count);
    latest.sent += bytes.length;
    this.length += bytes.length;
    return bytes;
  }
}

const MAX_PIECES = 100;

/** As many bytes are in a record of TLS, at most: RFC 8446 5.1. */
export const MAX_RECORD_BYTES = 16 * 1024;

/** `bytes` in pieces of this size. Behind many pieces, they are as long as a record can be. */
export function inPieces(bytes: string, size: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.slice(at, at + (pieces.length < MAX_PIECES ? size : Math.max(size, MAX_RECORD_BYTES)));
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}
