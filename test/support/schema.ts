// Validates values with the part of JSON Schema 2020-12 that the description uses, and with `nullable` of OpenAPI 3.0. Other keywords,
// which other servers may use, are not checked.
import { isDeepStrictEqual } from 'node:util';

// Whether a value fits a keyword by itself. A keyword says nothing of a value of another type.
const CHECKS: Readonly<Record<string, (value: unknown, limit: unknown) => boolean>> = {
  type: (value, types) => listOf(types).some((type) => (type === 'integer' ? Number.isInteger(value) : type === typeOf(value))),
  const: isDeepStrictEqual,
  enum: (value, members) => listOf(members).some((member) => isDeepStrictEqual(value, member)),
  pattern: (value, pattern) => typeof value !== 'string' || new RegExp(String(pattern), 'u').test(value),
  minLength: (value, limit) => typeof value !== 'string' || Array.from(value).length >= Number(limit),
  maxLength: (value, limit) => typeof value !== 'string' || Array.from(value).length <= Number(limit),
  minItems: (value, limit) => !Array.isArray(value) || value.length >= Number(limit),
  minProperties: (value, limit) => !isObject(value) || Object.keys(value).length >= Number(limit),
};

/** Validates `value`: a sentence for each violation of `schema`, none when it is valid. `$ref` refers to `document`. */
export function misfits(schema: unknown, value: unknown, document: unknown = schema, at = '$'): string[] {
  if (schema === false) return [`${at}: is not allowed`];
  if (!isObject(schema) || (value === null && schema['nullable'] === true)) return [];
  if (typeof schema['$ref'] === 'string') return misfits(resolve(schema['$ref'], document), value, document, at);
  const wrong = Object.entries(schema).filter(([keyword, limit]) => CHECKS[keyword]?.(value, limit) === false)
    .map(([keyword, limit]) => `${at}: does not fit ${keyword} ${JSON.stringify(limit)}`);
  if (Array.isArray(value)) return [...wrong, ...value.flatMap((item, i) => misfits(schema['items'], item, document, `${at}[${i}]`))];
  if (!isObject(value)) return wrong;
  const required = listOf(schema['required']).map(String);
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}.${name}: is missing`);
  const properties = Object(schema['properties']);
  return [...wrong, ...missing, ...Object.entries(value).flatMap(([name, member]) =>
    misfits(Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'], member, document, `${at}.${name}`))];
}

// What a reference within the document refers to, such as `#/components/schemas/Greeting` (RFC 6901).
function resolve(reference: string, document: unknown): unknown {
  const names = reference.split('/').slice(1).map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  return inside(document, ...names);
}

/** The value at this place in a JSON value; undefined: there is none. */
export function inside(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeOf(value) === 'object';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const listOf = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());
