// What the reader makes of some bytes, as a plain value that can be compared.
import { isDeepStrictEqual } from 'node:util';
import { RequestReader } from '../../../src/http/request-reader.ts';
import { LegalRequest } from '../../../src/http/request.ts';

/** Where the request ends, which has these members, or which it is refused with, or that more is needed. */
export type ReaderOpinion = { readonly end?: number; readonly status?: number; readonly members?: Readonly<Record<string, unknown>> };

export type Reading = {
  readonly opinion: ReaderOpinion;
  /** How many bytes the reader was given until it said so. */
  readonly given: number;
};

/** Reads `bytes` in pieces that end at `cuts` and at the end. */
export function readInPieces(bytes: Buffer, cuts: readonly number[] = []): Reading {
  const reader = new RequestReader(() => true);
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    const result = reader.read(bytes.subarray(from, to));
    if (result !== undefined) {
      const { status, request } = result instanceof LegalRequest ? { status: undefined, request: result } : result;
      const members = { ...request, traceparent: undefined, trace: traceIn(bytes, request.traceparent) };
      return { opinion: status === undefined ? { end: from + reader.end, members } : { status, members }, given: to };
    }
    from = to;
  }
  return { opinion: {}, given: bytes.length };
}

// A new trace id is another one each time.
function traceIn(bytes: Buffer, traceparent: string | undefined): string | undefined {
  const id = traceparent?.slice(3, 35);
  return id === undefined || bytes.includes(id) ? id : 'new';
}

/** Says which of these ways to cut `bytes` changes what the reader says, or makes it say so later than with the piece that decides. */
export function cutThatMatters(bytes: Buffer, ways: Iterable<readonly number[]>): string | undefined {
  const { opinion, given } = readInPieces(bytes, Array.from(bytes, (_, i) => i));
  for (const cuts of ways) {
    const reading = readInPieces(bytes, cuts);
    const expected = { opinion, given: cuts.find((cut) => cut >= given) ?? bytes.length };
    if (!isDeepStrictEqual(reading, expected)) return `Cut at ${cuts.join()} it is ${JSON.stringify([reading, 'instead of', expected])}.`;
  }
  return undefined;
}
