// Holds what the reader makes of some bytes to what node makes of them, and to what it makes of them when they are cut in other ways.
import { isDeepStrictEqual } from 'node:util';
import type { Reason } from '../../../src/http/refusals.ts';
import { LegalRequest } from '../../../src/http/request.ts';
import { RequestReader } from '../../../src/http/request-reader.ts';
import { headLength, NodeConnection, writtenForNode, type Message } from './node-opinion.ts';

type Members = Readonly<Record<string, unknown>>;

const MARKED = 'GET /marked HTTP/1.1\r\nHost: marked\r\n\r\n';
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** How the two differ on what the reader accepts, or needs more of. What it refuses does no harm: see the corpus. */
export function differenceIn(text: string): string | undefined {
  const { members, end } = readInPieces(bytesOf(text));
  if (members === undefined) return isMessage(writtenForNode(text)) ? 'The reader wants more than a whole message.' : undefined;
  if (end === undefined) return undefined;
  const accepted = text.slice(0, end);
  const difference = differenceInMessage(accepted, members);
  const plain = writtenForNode(accepted);
  if (difference === undefined || plain === accepted) return difference;
  const other = readInPieces(bytesOf(plain));
  const same = { members: { ...members, method: other.members?.['method'] }, reason: undefined, end: plain.length, given: plain.length };
  return isDeepStrictEqual(other, same) ? differenceInMessage(plain, same.members) : `It is another request as ${JSON.stringify(plain)}.`;
}

function onNode<Result>(use: (node: NodeConnection) => Result): Result {
  const node = new NodeConnection();
  const result = use(node);
  node.destroy();
  return result;
}

const isMessage = (text: string) => onNode((node) => {
  node.give(bytesOf(text));
  return node.hasMessage;
});

const differenceInMessage = (text: string, members: Members) =>
  onNode((node) => differenceOnNode(node, bytesOf(text), headLength(text), members));

// Node has read the head with its last byte and the message with its last byte, and understands another message after it.
function differenceOnNode(node: NodeConnection, bytes: Buffer, headEnd: number, members: Members): string | undefined {
  const ends = [headEnd - 1, headEnd, ...(bytes.length > headEnd ? [bytes.length - 1, bytes.length] : [])];
  const progress = ends.map((end, i) => {
    node.give(bytes.subarray(ends[i - 1] ?? 0, end));
    return [node.messages.length, node.hasMessage];
  });
  const [message] = node.messages;
  if (message === undefined || node.hasRefused) return 'Only node refuses it.';

  const { isAtOnce, hasContent, ...theirs } = membersOf(message);
  const { traceparent: _, ...ours } = members; // see the tests of trace-context.ts
  if (!isDeepStrictEqual(ours, theirs)) return `It is ${JSON.stringify(ours)}, and for node ${JSON.stringify(theirs)}.`;
  const isWhole = isAtOnce ? node.hasMessage : !hasContent; // the reader reads no content of what it answers at once
  const expected = [[0, false], [1, isWhole], ...(isAtOnce || !hasContent ? [] : [[1, false], [1, true]])];
  if (!isDeepStrictEqual(progress, expected)) return `Node has the message elsewhere: ${JSON.stringify({ ends, progress, expected })}.`;
  if (isAtOnce) return undefined;
  if (message.isLast) return theirs.isLast ? undefined : 'Only node ends the connection.';
  node.give(bytesOf(MARKED));
  return node.messages[1]?.request.url === '/marked' && !node.hasRefused ? undefined : 'Node does not understand what follows.';
}

/** What the reader must make of a message of node. */
function membersOf({ request: { method, url = '', httpVersion, rawHeaders } }: Message) {
  const isHttp11 = httpVersion !== '1.0';
  function value(name: string): string | undefined {
    const values = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
    return values.length === 0 ? undefined : values.join();
  }
  const [before = '', authority] = /^https?:\/\/([^/?]*)/i.exec(url) ?? [];
  const [path = '', ...queries] = url.slice(before.length).split('?');
  const options = (value('connection') ?? '').split(',').map((option) => option.replace(/^[ \t]+|[ \t]+$/g, '').toLowerCase());
  const length = value('transfer-encoding') === undefined ? Number(value('content-length') ?? 0) : undefined;
  const isAtOnce = isHttp11 && value('expect')?.toLowerCase().includes('100-continue') === true && length !== 0;
  return {
    method,
    path: path === '' ? '/' : path,
    query: queries.join('?'),
    host: value('host') ?? (isHttp11 ? undefined : authority),
    contentLength: isAtOnce ? 0 : length,
    isLast: isAtOnce || options.includes('close') || !(isHttp11 || options.includes('keep-alive')),
    isAtOnce,
    hasContent: length !== 0,
  };
}

type Opinion = {
  /** What is known of the request, when it is complete or refused. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly reason?: Reason | undefined;
  readonly end?: number | undefined;
  /** How many bytes the reader was given until it said so. */
  readonly given: number;
};

/** Reads `bytes` in pieces that end at `cuts` and at the end. */
function readInPieces(bytes: Buffer, cuts: readonly number[] = []): Opinion {
  const reader = new RequestReader(() => undefined);
  let from = 0;
  for (const given of [...cuts, bytes.length]) {
    const result = reader.read(bytes.subarray(from, given));
    if (result !== undefined) {
      const { reason, request } = result instanceof LegalRequest ? { reason: undefined, request: result } : result;
      const id = request.traceparent?.slice(3, 35);
      const members = { ...request, traceparent: id === undefined || bytes.includes(id) ? id : 'new' };
      return { members, reason, end: reason === undefined ? from + reader.end : undefined, given };
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
