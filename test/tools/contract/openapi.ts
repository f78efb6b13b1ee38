// Compares the description of a server with its replies.
import { field, type Reply } from '../../support/replies.ts';
import { inside, isObject, misfits } from '../../support/schema.ts';
import { json } from './expectation.ts';

/**
 * Validates replies to GET `path` with the description in the reply before them: a sentence for each violation. A reply whose status or
 * media type is not described is not validated.
 */
export function descriptionMisfits(path: string, [description, ...replies]: readonly Reply[]): string[] {
  const document = description && json(description);
  const responses = inside(document, 'paths', path, 'get', 'responses');
  return replies.flatMap((reply) => {
    const described = [String(reply.status), `${String(reply.status)[0]}XX`, 'default'].map((key) => inside(responses, key)).find(isObject);
    const type = field(reply, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const content = /[/+]json$/.test(type) ? json(reply) : reply.body; // JSON is read as a value (RFC 8259, RFC 6839 3.1)
    const found = misfits(inside(described, 'content', type, 'schema'), content, document);
    return found.map((misfit) => `a reply that fits the description, but a ${reply.status} of ${type} does not: ${misfit}`);
  });
}
