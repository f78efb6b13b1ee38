// Compares the description of a server with its replies.
import { field } from '../../support/replies.ts';
import { inside, isObject, misfits } from '../../support/schema.ts';
import { json } from './expectation.ts';
import type { Seen } from './row.ts';

/** The document in the latest reply to GET `path`. */
export function documentOf(seen: readonly Seen[], path: string): unknown {
  const last = seen.findLast(({ send, reply }) => send.startsWith(`GET ${path} `) && reply.status === 200);
  return last && json(last.reply);
}

/**
 * Validates the replies to GET `path` with `document`: a sentence for each violation. A reply whose status or media
 * type is not described is not validated, or with `mustBeDescribed` is a violation.
 */
export function descriptionMisfits(document: unknown, path: string, seen: readonly Seen[], mustBeDescribed = false): string[] {
  if (document === undefined) return ['there is no description'];
  const responses = inside(document, 'paths', path, 'get', 'responses');
  const found = seen.filter(({ send }) => send.startsWith(`GET ${path} `) || send.startsWith(`GET ${path}?`)).flatMap(({ reply }) => {
    const described = [String(reply.status), `${String(reply.status)[0]}XX`, 'default'].map((key) => inside(responses, key)).find(isObject);
    const type = field(reply, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const schema = inside(described, 'content', type, 'schema');
    const what = `GET ${path}: a ${reply.status} of ${type}`;
    if (schema === undefined) return mustBeDescribed && type !== '' ? [`${what} is not described`] : [];
    const content = /[/+]json$/.test(type) ? json(reply) : reply.body; // JSON is read as a value (RFC 8259, RFC 6839 3.1)
    return misfits(schema, content, document).map((misfit) => `${what}: ${misfit}`);
  });
  return [...new Set(found)];
}
