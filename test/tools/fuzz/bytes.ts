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
  const { over, header, takesOver, requests } = connection;
  const parts: Buffer[] = [Buffer.from(over === 'TLS' ? '' : header, 'latin1')];
  const ends: number[] = [];
  let length = parts.reduce((sum, part) => sum + part.length, 0);
  for (const request of requests) {
    const isChunked = takesOver === undefined && request.chunkBytes > 0;
    const own = [headOf(connection, request), ...isChunked ? chunksOf(request) : [contentOf(request)]];
    length += own.reduce((sum, part) => sum + part.length, 0);
    parts.push(...own);
    ends.push(length);
  }
  return { bytes: Buffer.concat(parts), ends };
}

function headOf({ takesOver, fields }: ConnectionPlan, request: RequestPlan): Buffer {
  const { id, contentBytes, chunkBytes, expects, fieldBytes, hasSeat, isLast, isLimited } = request;
  const ofAll = `HTTP/1.1\r\nHost: a:1\r\n${fields}X-Padding: ${'x'.repeat(fieldBytes)}`;
  if (takesOver === 'CONNECT') return Buffer.from(`CONNECT a:1 ${ofAll}\r\n\r\n`);
  if (takesOver === 'GET') return Buffer.from(`GET / ${ofAll}\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n`);
  const framing = chunkBytes > 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${contentBytes}`;
  const more = `${expects ? 'Expect: 100-continue\r\n' : ''}${isLast ? 'Connection: close\r\n' : ''}${framing}`;
  const path = `/${hasSeat ? 'seat' : 'free'}/${isLimited ? 'limited' : 'unlimited'}/${id}`;
  return Buffer.from(`POST ${path} ${ofAll}\r\n${more}\r\n\r\n`);
}

function chunksOf(request: RequestPlan): readonly Buffer[] {
  const content = contentOf(request);
  const chunks: Buffer[] = [];
  for (let at = 0; at < content.length; at += request.chunkBytes) {
    const chunk = content.subarray(at, at + request.chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return [...chunks, Buffer.from('0\r\n\r\n')];
}
