// The bytes that a plan amounts to. Contents look random, so that what is lost, doubled or swapped shows.
import { createHash } from 'node:crypto';
import type { ConnectionPlan, RequestPlan } from './generate.ts';

const filler = (name: string, outputLength: number) => createHash('shake128', { outputLength }).update(name).digest();
export const contentOf = ({ id, contentBytes }: RequestPlan) => filler(`request ${id}`, contentBytes);

/** What a handler replies with, if it got this content, and this is the address of its client. */
export function replyTo({ id, replyBytes }: RequestPlan, content: Buffer, address: string | undefined): string {
  const digest = createHash('sha1').update(content).digest('hex');
  return `${id} ${digest} ${address} ${filler(`reply ${id}`, replyBytes >> 1).toString('hex')}`;
}

/** All bytes that a client sends (over TLS, those after the PROXY header), and where in them each request ends. */
export function bytesOf(connection: ConnectionPlan) {
  const ends: number[] = [];
  let bytes: Buffer = Buffer.from(connection.over === 'TCP' ? connection.header : '', 'latin1');
  for (const request of connection.requests) {
    const content = contentOf(request);
    const isChunked = connection.takesOver === undefined && request.chunkBytes > 0;
    const framed = isChunked ? chunksOf(content, request) : [content];
    bytes = Buffer.concat([bytes, Buffer.from(headOf(connection, request)), ...framed]);
    ends.push(bytes.length);
  }
  return { bytes, ends };
}

function headOf({ takesOver, fields }: ConnectionPlan, request: RequestPlan): string {
  const { id, contentBytes, chunkBytes, expects, emptyLines, fieldBytes, isLast } = request;
  const ofAll = `HTTP/1.1\r\nHost: a:1\r\n${fields}X-Padding: ${'x'.repeat(fieldBytes)}\r\n`;
  if (takesOver === 'CONNECT') return `CONNECT a:1 ${ofAll}\r\n`;
  if (takesOver === 'GET') return `GET / ${ofAll}Connection: upgrade\r\nUpgrade: echo\r\n\r\n`;
  const framing = chunkBytes > 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${contentBytes}`;
  const more = `${expects ? 'Expect: 100-continue\r\n' : ''}${isLast ? 'Connection: close\r\n' : ''}${framing}`;
  return `${'\r\n'.repeat(emptyLines)}POST /${id} ${ofAll}${more}\r\n\r\n`;
}

function chunksOf(content: Buffer, { chunkBytes, trailer }: RequestPlan): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < content.length; at += chunkBytes) {
    const chunk = content.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return [...chunks, Buffer.from(`0\r\n${trailer}\r\n`)];
}
