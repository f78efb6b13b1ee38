// The bytes that a plan amounts to. Contents look random, so that what is lost, doubled or swapped shows.
import { createHash } from 'node:crypto';
import type { Connection, Request } from './generate.ts';

const filler = (name: string, outputLength: number) => createHash('shake128', { outputLength }).update(name).digest();
export const contentOf = ({ id, contentBytes }: Request) => filler(`request ${id}`, contentBytes);

/** What a handler replies with, if it got this content, and this is the address of its client. */
export function replyTo({ id, replyBytes }: Request, content: Buffer, address: string | undefined): string {
  const digest = createHash('sha1').update(content).digest('hex');
  return `${id} ${digest} ${address} ${filler(`reply ${id}`, replyBytes >> 1).toString('hex')}`;
}

/** All bytes that a client sends (over TLS, those after the PROXY header), and where in them each request ends. */
export function bytesOf({ over, header, fields, takesOver, requests }: Connection) {
  const ends: number[] = [];
  let bytes = over === 'TCP' ? header : '';
  for (const request of requests) {
    const { id, emptyLines, isLast, expects, fieldBytes, contentBytes, chunkBytes, trailer } = request;
    const content = contentOf(request).toString('latin1');
    const isChunked = takesOver === undefined && chunkBytes > 0;
    const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${contentBytes}`;
    const more = `${expects ? 'Expect: 100-continue\r\n' : ''}${isLast ? 'Connection: close\r\n' : ''}`;
    const start = takesOver ?? `${'\r\n'.repeat(emptyLines)}POST /${id} HTTP/1.1\r\n${framing}\r\n${more}`;
    bytes += `${start}Host: a:1\r\n${fields}X-Padding: ${'x'.repeat(fieldBytes)}\r\n\r\n`;
    bytes += isChunked ? `${inChunks(content, chunkBytes)}0\r\n${trailer}\r\n` : content;
    ends.push(bytes.length);
  }
  return { bytes: Buffer.from(bytes, 'latin1'), ends };
}

const inChunks = (content: string, bytes: number) =>
  content.replace(new RegExp(`[^]{1,${bytes}}`, 'g'), (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
