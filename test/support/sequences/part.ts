// A request, and the reply that it must get; and what a client sends: requests, one after the other, in as many steps as it likes.

/** What a reply must be. */
export type Expected = {
  readonly status: number;
  readonly body: string; // what the body begins with; empty: there is none
  readonly isLast: boolean; // the service closes the connection after it
};

/** A request, and the reply to it. */
export type Part = { readonly bytes: string; readonly reply: Expected }; // `bytes`: one character for each

/** How many bytes come before the request itself: CR LF before it does not belong to it. */
export const emptyLines = ({ bytes }: Part): number => Math.max(0, bytes.search(/[^\r\n]/));

/** How many bytes come before the end of the head. */
export const headLength = (part: Part): number => part.bytes.indexOf('\r\n\r\n', emptyLines(part)) + 4;

/** A request of which at least one byte has been sent. */
export type SentPart = {
  readonly part: Part;
  readonly from: number; // where it begins in all that the client has sent
  sent: number; // how many of its bytes have been sent
};

export const isWhole = ({ part, sent }: SentPart): boolean => sent === part.bytes.length;
/** Whether more than empty lines has been sent. */
export const hasBegun = ({ part, sent }: SentPart): boolean => sent > emptyLines(part);

export class Sending {
  readonly parts: SentPart[] = [];
  length = 0; // how many bytes have been sent

  /** The bytes of these requests, except the last `held` ones. The rest of the previous request comes before them. */
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

/** `bytes` in pieces of this size, or longer ones when they would be too many. */
export function inPieces(bytes: string, size: number): string[] {
  const length = Math.min(bytes.length, Math.max(size, Math.ceil(bytes.length / MAX_PIECES)));
  return Array.from({ length: bytes === '' ? 0 : Math.ceil(bytes.length / length) }, (_, i) => bytes.slice(i * length, (i + 1) * length));
}
