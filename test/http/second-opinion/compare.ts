// Holds what the reader makes of some bytes to what node makes of them.
import { isDeepStrictEqual } from 'node:util';
import { headInBytes, headOfMessage } from './heads.ts';
import { NodeConnection } from './node-opinion.ts';
import { partsOf } from './parts.ts';
import { readInPieces, type ReaderOpinion } from './reader-opinion.ts';
import { ENDED_BY_NODE, REFUSED_BY_NODE } from './refused-by-node.ts';
import { REFUSED_BY_READER } from './refused-by-reader.ts';

/** Is told the reason of each difference that may be. */
export type Tell = (reason: string) => void;

const MARKED = 'GET /marked HTTP/1.1\r\nHost: marked\r\n\r\n';
const REST = '\r\n\r\n0\r\n\r\n'; // ends most requests that are not whole

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const nothing = () => {};

/** Says how the two differ where they must not. */
export function differenceIn(text: string, tell: Tell): string | undefined {
  const bytes = bytesOf(text);
  const { opinion } = readInPieces(bytes);
  if (opinion.end !== undefined) return differenceInAccepted(text.slice(0, opinion.end), opinion, tell);
  const node = new NodeConnection();
  node.give(bytes);
  const { hasRefused, hasMessage } = node;
  node.destroy();
  if (opinion.status !== undefined) return hasRefused && !hasMessage ? undefined : differenceInRefused(text, opinion.status, tell);
  const plain = rewritten(text, nothing);
  if (hasMessage) return plain === text ? 'The reader wants more than a whole message.' : differenceIn(plain, tell);
  if (!hasRefused || plain !== text) return undefined;
  return text.endsWith(REST) ? 'The reader wants more of what node refuses.' : differenceIn(text + REST, tell);
}

function differenceInRefused(text: string, status: number, tell: Tell): string | undefined {
  const parts = partsOf(text);
  const kinds = REFUSED_BY_READER.filter((kind) => kind.status === status && kind.is(parts));
  for (const { reason } of kinds) tell(reason);
  return kinds.length > 0 ? undefined : `Only the reader refuses it, with ${status}.`;
}

// What node refuses is written without what only node refuses, and then node must understand it. So is what node understands otherwise:
// with `Upgrade` it does not refuse a coding that it does not know, and takes the message to end with its head.
function differenceInAccepted(text: string, opinion: ReaderOpinion, tell: Tell): string | undefined {
  const node = new NodeConnection();
  const difference = differenceOnNode(node, bytesOf(text), opinion, tell);
  const isUnderstood = node.messages.length > 0 && !node.hasRefused; // of PRI node says nothing: it waits for HTTP/2
  node.destroy();
  if (isUnderstood && (difference === undefined || rewritten(text, nothing) === text)) return difference;
  const plain = rewritten(text, tell);
  if (plain === text) return 'Only node refuses it.';
  const other = readInPieces(bytesOf(plain)).opinion;
  const same = { end: plain.length, members: { ...opinion.members, method: partsOf(plain).method } };
  if (isDeepStrictEqual(other, same) && rewritten(plain, nothing) === plain) return differenceInAccepted(plain, other, tell);
  return `It is another request when it is written as ${JSON.stringify(plain)}.`;
}

function rewritten(text: string, tell: Tell): string {
  return REFUSED_BY_NODE.reduce((before, { reason, without }) => {
    const after = without(before);
    if (after !== before) tell(reason);
    return after;
  }, text);
}

// Node has the head with its last byte, and the message with its last byte, and understands another one behind it.
function differenceOnNode(node: NodeConnection, bytes: Buffer, opinion: ReaderOpinion, tell: Tell): string | undefined {
  const { headEnd, ...head } = headInBytes(bytes);
  const ends = [headEnd - 1, headEnd, ...(bytes.length > headEnd ? [bytes.length - 1, bytes.length] : [])];
  const progress = ends.map((end, i) => {
    node.give(bytes.subarray(ends[i - 1] ?? 0, end));
    return [node.messages.length, node.hasMessage];
  });
  const [message] = node.messages;
  if (message === undefined) return 'Node has no message.';

  const { isAtOnce, hasContent, ...theirs } = headOfMessage(message);
  const trace = opinion.members?.['trace']; // see the tests of trace-context.ts
  if (!isDeepStrictEqual({ head, members: opinion.members }, { ...theirs, members: { ...theirs.members, trace } })) {
    return `The reader says ${JSON.stringify({ head, opinion })}, and node ${JSON.stringify(theirs)}.`;
  }
  const isWhole = isAtOnce ? node.hasMessage : !hasContent; // the reader reads no content of what it answers at once
  const expected = [[0, false], [1, isWhole], ...(isAtOnce || !hasContent ? [] : [[1, false], [1, true]])];
  if (!isDeepStrictEqual(progress, expected)) return `Node has the message elsewhere: ${JSON.stringify({ ends, progress, expected })}.`;
  if (isAtOnce) return undefined;
  return message.isLast ? differenceInEnd(bytes.toString('latin1'), theirs.members.isLast, tell) : differenceBehind(node);
}

function differenceBehind(node: NodeConnection): string | undefined {
  node.give(bytesOf(MARKED));
  return node.messages[1]?.request.url === '/marked' && !node.hasRefused ? undefined : 'Node does not understand what follows.';
}

function differenceInEnd(text: string, isLast: boolean, tell: Tell): string | undefined {
  const parts = partsOf(text);
  const kinds = ENDED_BY_NODE.filter(({ is }) => is(parts));
  for (const { reason } of kinds) tell(reason);
  return isLast || kinds.length > 0 ? undefined : 'Only node ends the connection.';
}
