// Replies that differ from those of this service wherever they may.
import { field, repliesIn } from '../../support/replies.ts';
import { isObject } from '../../support/schema.ts';
import { json } from './expectation.ts';

/** The bytes of replies, where the first one differs wherever the specification and the decisions say nothing. */
export function inOtherForm(bytes: string): string {
  const { replies: [first] } = repliesIn(Buffer.from(bytes, 'latin1'));
  if (first === undefined || first.body === '') {
    return bytes.replace(/(?<=^HTTP\/1\.1 \d{3}) .*/, ' Whatever').replace('Content-Length:', 'content-LENGTH:\t');
  }
  const isJson = field(first, 'content-type')?.includes('json') === true;
  const content = Buffer.from(isJson ? JSON.stringify(inOtherWords(json(first)), null, 2) : first.body).toString('latin1');
  const fields = first.headers.filter((line) => !line.startsWith('Content-Length:'))
    .map((line) => line.replace(/^[^:]+: /, (name) => name.toLowerCase().trim()).replace('; charset', ';  Charset')).reverse();
  const framed = ['Transfer-Encoding: chunked', '', `${content.length.toString(16)};a=b`, content, '0', '', ''];
  return [`HTTP/1.1 ${first.status}`, 'x-other: field', ...fields, ...framed].join('\r\n');
}

// The members of each object in the other order, another name for a component, and other words where only people read them.
function inOtherWords(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => inOtherWords(one, `${name}[]`));
  if (isObject(value)) {
    const members = Object.entries(value).reverse();
    return Object.fromEntries(members.map(([key, inner]) => [key.replace('GreetingResponse', 'a/b'), inOtherWords(inner, key)]));
  }
  if (name === '$ref') return String(value).replace('GreetingResponse', 'a~1b');
  return ['description', 'summary', 'name[]'].includes(name) ? 'Whatever.' : value;
}
