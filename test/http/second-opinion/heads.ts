// The same members of a request, as the reader says them and as node says them.
import { addField, MEMBER_OF, type Fields } from '../../../src/http/fields.ts';
import { LineReader } from '../../../src/http/lines.ts';
import { parseRequestLine } from '../../../src/http/request-line.ts';
import type { Target } from '../../../src/http/request-target.ts';
import type { Message } from './node-opinion.ts';
import { listOf } from './parts.ts';

/** What the files below the reader see in the head that `bytes` begin with, and where it ends. */
export function headInBytes(bytes: Buffer) {
  const lines = new LineReader();
  const fields: Fields = {};
  const text = bytes.toString('latin1');
  lines.give(bytes, text);
  lines.skipLineEnds(bytes.length);
  function next() {
    const line = lines.read(bytes.length, 431);
    if (line === undefined || typeof line === 'number') throw new Error('The head is not whole, or not legal.');
    return line;
  }
  const first = next();
  const line = parseRequestLine(text.slice(first.start, first.end));
  if (typeof line === 'number') throw new Error('The request line is not legal.');
  for (let field = next(); field.start < field.end && addField(fields, field);) field = next();
  return { headEnd: lines.end, line: { ...line }, fields };
}

/** The same of a message of node, and what the reader must make of it. */
export function headOfMessage({ request }: Message) {
  const { method, url = '', httpVersion, rawHeaders } = request;
  const isHttp11 = httpVersion !== '1.0';
  const fields: Fields = {};
  for (const [name, member] of MEMBER_OF) {
    const values = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
    if (values.length > 0) fields[member] = values.join(', ');
  }
  const target = targetIn(url);
  const options = listOf(fields.connection);
  const length = fields.transferEncoding === undefined ? Number(fields.contentLength ?? 0) : undefined;
  const isAtOnce = isHttp11 && fields.expect !== undefined && length !== 0;
  return {
    head: { line: { method, target, isHttp11 }, fields },
    members: {
      method,
      path: target.path,
      query: target.query,
      host: fields.host ?? (isHttp11 ? undefined : target.authority),
      contentLength: isAtOnce ? 0 : length,
      isLast: isAtOnce || options.includes('close') || !(isHttp11 || options.includes('keep-alive')),
    },
    isAtOnce,
    hasContent: length !== 0,
  };
}

function targetIn(url: string): Target {
  const [, before, authority] = /^(https?:\/\/([^/?]*))/i.exec(url) ?? [];
  const [path = '', ...queries] = url.slice(before?.length ?? 0).split('?');
  const target = { path: path === '' ? '/' : path, query: queries.join('?') };
  return authority === undefined ? target : { ...target, authority, isHttps: before?.[4]?.toLowerCase() === 's' };
}
