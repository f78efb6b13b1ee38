// Holds what the reader makes of some bytes to what node makes of them.
import { isDeepStrictEqual } from 'node:util';
import { RequestReader } from '../../../src/http/request-reader.ts';
import { NodeConnection, writtenForNode, type Message } from './node-opinion.ts';

type Members = Readonly<Record<string, unknown>>;

const MARKED = 'GET /marked HTTP/1.1\r\nHost: marked\r\n\r\n';
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** How the two differ on what the reader accepts, or needs more of. What it refuses does no harm: see the corpus. */
export function differenceIn(text: string): string | undefined {
  const read = firstIn(text);
  if (read === 'refused') return undefined;
  if (read === undefined) return isMessage(writtenForNode(text)) ? 'The reader wants more than a whole message.' : undefined;
  const { members, end } = read;
  const accepted = text.slice(0, end);
  const difference = differenceOnNode(accepted, members);
  const plain = writtenForNode(accepted);
  if (difference === undefined || plain === accepted) return difference;
  const other = firstIn(plain);
  const isOther = typeof other !== 'object'
    || !isDeepStrictEqual(other, { members: { ...members, method: other.members['method'] }, end: plain.length });
  return isOther ? `It is another request as ${JSON.stringify(plain)}.` : differenceOnNode(plain, other.members);
}

/** What the reader says of the first request, which is undefined if it is not complete, and where it ends. */
function firstIn(text: string): { readonly members: Members; readonly end: number } | 'refused' | undefined {
  const reader = new RequestReader(() => undefined);
  const result = reader.read(bytesOf(text));
  if (result === undefined) return undefined;
  if ('reason' in result) return 'refused';
  const { parent: _, ...members } = result;
  return { members, end: reader.end };
}

function isMessage(text: string): boolean {
  const node = new NodeConnection();
  node.give(bytesOf(text));
  node.destroy();
  return node.hasMessage;
}

// Node reads the same message, needs its last byte, and understands another message after it.
function differenceOnNode(text: string, ours: Members): string | undefined {
  const node = new NodeConnection();
  try {
    node.give(bytesOf(text.slice(0, -1)));
    const isEarly = node.hasMessage;
    node.give(bytesOf(text.slice(-1)));
    const [message] = node.messages;
    if (message === undefined || node.hasRefused) return 'Only node refuses it.';
    const { isAtOnce, ...theirs } = membersOf(message);
    if (!isDeepStrictEqual(ours, theirs)) return `It is ${JSON.stringify(ours)}, and for node ${JSON.stringify(theirs)}.`;
    if (isEarly) return 'Node has the whole message before.';
    if (isAtOnce) return undefined; // the reader reads no content of what it answers at once
    if (!node.hasMessage) return 'Node wants more.';
    if (message.isLast) return theirs.isLast ? undefined : 'Only node ends the connection.';
    node.give(bytesOf(MARKED));
    return node.messages[1]?.request.url === '/marked' && !node.hasRefused ? undefined : 'Node does not understand what follows.';
  } finally {
    node.destroy();
  }
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
  };
}
