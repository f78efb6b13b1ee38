// What the reader makes of some bytes, as a plain value that can be compared.
import { isDeepStrictEqual } from 'node:util';
import { LegalRequest } from '../../../src/http/request.ts';
import { RequestReader } from '../../../src/http/request-reader.ts';

type Opinion = {
  /** What is known of the request, when it is whole or refused. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly status?: number | undefined;
  readonly end?: number | undefined;
  /** How many bytes the reader was given until it said so. */
  readonly given: number;
};

/** Reads `bytes` in pieces that end at `cuts` and at the end. */
export function readInPieces(bytes: Buffer, cuts: readonly number[] = []): Opinion {
  const reader = new RequestReader(() => true);
  let from = 0;
  for (const given of [...cuts, bytes.length]) {
    const result = reader.read(bytes.subarray(from, given));
    if (result !== undefined) {
      const { status, request } = result instanceof LegalRequest ? { status: undefined, request: result } : result;
      const id = request.traceparent?.slice(3, 35);
      const members = { ...request, traceparent: id === undefined || bytes.includes(id) ? id : 'new' };
      return { members, status, end: status === undefined ? from + reader.end : undefined, given };
    }
    from = given;
  }
  return { given: bytes.length };
}

/** Says which of these ways to cut `bytes` changes what the reader says, or makes it say so later than with the piece that decides. */
export function cutThatMatters(bytes: Buffer, ways: Iterable<readonly number[]>): string | undefined {
  const bytewise = readInPieces(bytes, Array.from(bytes, (_, i) => i));
  for (const cuts of ways) {
    const reading = readInPieces(bytes, cuts);
    const expected = { ...bytewise, given: cuts.find((cut) => cut >= bytewise.given) ?? bytes.length };
    if (!isDeepStrictEqual(reading, expected)) return `Cut at ${cuts.join()} it is ${JSON.stringify([reading, 'instead of', expected])}.`;
  }
  return undefined;
}
