// Holds replies to the schemas of the server's own description.
import { misfits } from '../support/schema.ts';
import { field, json } from './reply.ts';
import { isObject } from './expectation.ts';
import type { Seen } from './row.ts';

/** The document in the latest reply to GET `path`. */
export function documentOf(seen: readonly Seen[], path: string): unknown {
  const last = seen.findLast(({ send, reply }) => send.startsWith(`GET ${path} `) && reply.status === 200);
  return last && json(last.reply);
}

/**
 * What of the replies to GET `path` does not fit `document`: a line for each misfit. A reply whose status and media
 * type are not described has nothing to fit.
 */
export function descriptionMisfits(document: unknown, path: string, seen: readonly Seen[]): string[] {
  if (document === undefined) return ['there is no description'];
  const responses = inside(document, 'paths', path, 'get', 'responses');
  const found = seen.filter(({ send }) => send.startsWith(`GET ${path} `) || send.startsWith(`GET ${path}?`)).flatMap(({ reply }) => {
    const described = [String(reply.status), `${String(reply.status)[0]}XX`, 'default'].map((key) => inside(responses, key)).find(isObject);
    const type = field(reply, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const schema = inside(described, 'content', type, 'schema');
    return schema === undefined ? [] : misfits(schema, json(reply), document).map((misfit) => `a ${reply.status}: ${misfit}`);
  });
  return [...new Set(found)];
}

function inside(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}
