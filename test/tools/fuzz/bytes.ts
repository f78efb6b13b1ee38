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

/** The bytes of each request on a connection. */
export function bytesOf({ takesOver, fields, requests }: ConnectionPlan): readonly Buffer[] {
  return requests.map((request) => {
    const { id, contentBytes, chunkBytes, expects, fieldBytes, hasSeat, isLast, isLimited } = request;
    const content = contentOf(request);
    const padding = `X-Padding: ${'x'.repeat(fieldBytes)}\r\n`;
    if (takesOver !== undefined) {
      const head = `${takesOver} a:1 HTTP/1.1\r\nHost: a:1\r\nConnection: upgrade\r\nUpgrade: echo\r\n${padding}\r\n`;
      return Buffer.concat([Buffer.from(takesOver === 'GET' ? head.replace('a:1', '/') : head), content]);
    }
    const head = `POST /${hasSeat ? 'seat' : 'free'}/${isLimited ? 'limited' : 'unlimited'}/${id} HTTP/1.1\r\n`;
    const framing = chunkBytes > 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${contentBytes}`;
    const more = `${expects ? 'Expect: 100-continue\r\n' : ''}${isLast ? 'Connection: close\r\n' : ''}`;
    const all = Buffer.from(`${head}Host: localhost\r\n${fields}${padding}${more}${framing}\r\n\r\n`);
    return Buffer.concat([all, ...chunkBytes > 0 ? chunksOf(content, chunkBytes) : [content]]);
  });
}

function chunksOf(content: Buffer, chunkBytes: number): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < content.length; at += chunkBytes) {
    const chunk = content.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return [...chunks, Buffer.from('0\r\n\r\n')];
}
