// Compares the description of a server with its replies, and with the description of this project's service.
import { deepEqual } from 'node:assert/strict';
import { field } from '../../support/replies.ts';
import { inside, isObject, misfits, resolve } from '../../support/schema.ts';
import { DESCRIBED } from './endpoints.ts';
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

// What other servers may say in other words, or not at all.
const WORDS = ['title', 'description', 'summary', 'example', 'examples'];

/** Where `document` describes GET `path` otherwise than DESCRIBED does: none, or one text, in which lines with + and - differ. */
export function shapeMisfits(document: unknown, path: string): string[] {
  const operation = inside(document, 'paths', path, 'get');
  const byName = (parameters: readonly unknown[]) => Object.fromEntries(parameters.map((one) => [inside(one, 'name'), one]));
  const parameters = [inside(operation, 'parameters') ?? []].flat().map((one) => ({ required: false, ...Object(bare(one, document)) }));
  const replies = mapped(inside(operation, 'responses'), (response) =>
    mapped(inside(response, 'content'), (content) => bare(inside(content, 'schema'), document)));
  const expected = { parameters: byName(DESCRIBED[path]?.parameters ?? []), replies: DESCRIBED[path]?.replies };
  try {
    deepEqual({ parameters: byName(parameters), replies }, bare(expected, document));
    return [];
  } catch (error) {
    return [String(error)];
  }
}

// A schema without its words, with each `$ref` replaced by the schema that it refers to, and with `required` in order.
function bare(value: unknown, document: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => bare(item, document));
  if (!isObject(value)) return value;
  if (typeof value['$ref'] === 'string') return bare(resolve(value['$ref'], document), document);
  return Object.fromEntries(Object.entries(value).filter(([key]) => !WORDS.includes(key)).map(([key, inner]) => {
    if (key === 'properties') return [key, mapped(inner, (property) => bare(property, document))]; // a property may have any name
    return [key, key === 'required' && Array.isArray(inner) ? inner.toSorted() : bare(inner, document)];
  }));
}

function mapped(value: unknown, map: (inner: unknown) => unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, map(inner)])) : value;
}
