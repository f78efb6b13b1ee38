// Validates replies with the schemas in the description of the same server.
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
    if (schema === undefined) return mustBeDescribed && type !== '' ? [`a ${reply.status} of ${type}: is not described`] : [];
    return misfits(schema, json(reply), document).map((misfit) => `a ${reply.status}: ${misfit}`);
  });
  return [...new Set(found)];
}

function inside(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}
