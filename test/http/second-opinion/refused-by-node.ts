// What the reader accepts and node's parser refuses: each kind with the reason, an example, and a function that writes a request
// without it. Node must understand what is written so.
import { METHODS } from 'node:http';
import { chunksOf, joinChunks, listOf, partsOf, type Chunks, type Parts } from './parts.ts';

type RefusedByNode = { readonly reason: string; readonly without: (text: string) => string; readonly example: string };

const CHUNKED = 'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

export const REFUSED_BY_NODE: readonly RefusedByNode[] = [
  {
    reason: 'RFC 9110 9.1: a method is any token',
    without: withKnownMethod,
    example: 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n',
  },
  {
    reason: 'RFC 9110 2.5: a later minor version of HTTP/1 is read as HTTP/1.1',
    without: (text) => text.replace(partsOf(text).line, (line) => line.replace(/ HTTP\/1\.[2-9]$/, ' HTTP/1.1')),
    example: 'GET / HTTP/1.2\r\nHost: a\r\n\r\n',
  },
  {
    reason: 'RFC 9112 5.1: white space behind a value, also a tab, is no part of it',
    without: withoutWhiteSpaceBehindValues,
    example: 'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n',
  },
  {
    reason: 'RFC 9112 7.1.1: white space may be around the ; and = of a chunk extension',
    without: (text) => withChunks(text, withoutWhiteSpace),
    example: `${CHUNKED}1 ; a = b\r\nx\r\n0\r\n\r\n`,
  },
  {
    reason: 'RFC 9110 6.5.1: what trailers say of the content and the connection is not obeyed',
    without: (text) => withChunks(text, withOtherTrailers),
    example: `${CHUNKED}0\r\nContent-Length: 1\r\n\r\n`,
  },
];

type EndedByNode = { readonly reason: string; readonly is: (parts: Parts) => boolean; readonly example: string };

/** Behind what node ends a connection that the reader does not end. */
export const ENDED_BY_NODE: readonly EndedByNode[] = [
  {
    reason: 'RFC 9112 C.2.2: Proxy-Connection is not used',
    is: ({ values }) => listOf(values('proxy-connection').join()).includes('close'),
    example: 'GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n',
  },
  {
    reason: 'RFC 9110 5.5: white space behind a value, also a tab, is no part of it. (Node 20 does not find keep-alive there.)',
    is: ({ protocol, fieldLines }) => protocol === 'HTTP/1.0' && fieldLines.some((line) => /^Connection:.*[ \t]$/i.test(line)),
    example: 'GET / HTTP/1.0\r\nConnection: keep-alive \t\r\n\r\n',
  },
];

function withKnownMethod(text: string): string {
  const { method } = partsOf(text);
  return METHODS.includes(method) ? text : text.replace(method, () => 'PUT');
}

function withoutWhiteSpaceBehindValues(text: string): string {
  const { headEnd } = partsOf(text);
  return text.slice(0, headEnd).replace(/^((?:Content-Length|Transfer-Encoding):.*?)[ \t]+\r$/gim, '$1\r') + text.slice(headEnd);
}

function withChunks(text: string, change: (chunks: Chunks) => Chunks): string {
  const { headEnd, values, content } = partsOf(text);
  return values('transfer-encoding').length === 0 ? text : text.slice(0, headEnd) + joinChunks(change(chunksOf(content)));
}

// Quoted strings are left as they are.
function withoutWhiteSpace(chunks: Chunks): Chunks {
  const changed = (line: string) => line.replace(/("(?:[^"\\]|\\.)*")|[ \t]+/g, '$1');
  return { ...chunks, sizeLines: chunks.sizeLines.map(changed) };
}

function withOtherTrailers(chunks: Chunks): Chunks {
  return { ...chunks, trailers: chunks.trailers.replace(/^(?:Content-Length|Transfer-Encoding|(?:Proxy-)?Connection):/gim, 'X:') };
}
