// Validates values with the part of JSON Schema 2020-12 that the description uses, and finds values in JSON.
import { isDeepStrictEqual } from 'node:util';

// Whether a value fits a keyword by itself. A keyword says nothing of a value of another type.
const CHECKS: Readonly<Record<string, (value: unknown, limit: unknown) => boolean>> = {
  type: (value, type) => (type === 'integer' ? Number.isInteger(value) : type === typeOf(value)),
  const: isDeepStrictEqual,
  pattern: (value, pattern) => typeof value !== 'string' || new RegExp(String(pattern), 'u').test(value),
  minLength: (value, limit) => typeof value !== 'string' || Array.from(value).length >= Number(limit),
  maxLength: (value, limit) => typeof value !== 'string' || Array.from(value).length <= Number(limit),
  minItems: (value, limit) => !Array.isArray(value) || value.length >= Number(limit),
  minProperties: (value, limit) => !isObject(value) || Object.keys(value).length >= Number(limit),
};

/** Validates `value`: a sentence for each violation of `schema`, none when it is valid. `$ref` refers to `document`. */
export function misfits(schema: unknown, value: unknown, document: unknown = schema, at = '$'): string[] {
  if (schema === false) return [`${at}: is not allowed`];
  if (!isObject(schema)) return [];
  if (typeof schema['$ref'] === 'string') return misfits(resolve(schema['$ref'], document), value, document, at);
  const wrong = Object.entries(schema).filter(([keyword, limit]) => CHECKS[keyword]?.(value, limit) === false)
    .map(([keyword, limit]) => `${at}: does not fit ${keyword} ${JSON.stringify(limit)}`);
  const items = Array.isArray(value) ? value : [];
  wrong.push(...items.flatMap((item, i) => misfits(schema['items'], item, document, `${at}[${i}]`)));
  if (!isObject(value)) return wrong;
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}.${name}: is missing`);
  const properties = Object(schema['properties']);
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'];
    return misfits(own, member, document, `${at}.${name}`);
  });
  return [...wrong, ...missing, ...inner];
}

// What a reference within the document refers to, such as `#/components/schemas/Greeting`.
const resolve = (reference: string, document: unknown) => inside(document, ...reference.split('/').slice(1));

/** The value at this place in a JSON value; undefined: there is none. */
export function inside(value: unknown, ...names: readonly string[]): unknown {
  let inner = value;
  for (const name of names) inner = isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  return inner;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeOf(value) === 'object';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
