// Validates values with the part of JSON Schema 2020-12 that descriptions of small services use, and with `nullable`
// of OpenAPI 3.0. Other keywords are not checked; `unknownKeywords` returns them.

type JsonObject = Readonly<Record<string, unknown>>;

const ANNOTATIONS = ['format', 'description', 'default', 'title', 'example', 'examples', 'deprecated'];
const CHECKED = [
  '$ref', 'type', 'nullable', 'const', 'enum', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'items',
  'required', 'minProperties', 'maxProperties', 'properties', 'additionalProperties', 'allOf', 'anyOf', 'oneOf',
];

/** Validates `value`: a sentence for each violation of `schema`, none when it is valid. `$ref` refers to `document`. */
export function misfits(schema: unknown, value: unknown, document: unknown = schema, at = '$'): string[] {
  if (schema === false) return [`${at}: is not allowed`];
  if (!isObject(schema)) return [];
  if (typeof schema['$ref'] === 'string') return misfits(resolve(schema['$ref'], document), value, document, at);
  if (value === null && schema['nullable'] === true) return [];
  const types = [schema['type']].flat().filter((type) => type !== undefined);
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return [`${at}: is not ${types.join(' or ')}`];
  return [
    ...('const' in schema && !isSame(value, schema['const']) ? [`${at}: is not ${JSON.stringify(schema['const'])}`] : []),
    ...(Array.isArray(schema['enum']) && !schema['enum'].some((one) => isSame(value, one)) ? [`${at}: is none of ${JSON.stringify(schema['enum'])}`] : []),
    ...combinedMisfits(schema, value, document, at),
    ...(typeof value === 'string' ? stringMisfits(schema, value, at) : []),
    ...(typeof value === 'number' ? boundMisfits(schema, value, 'minimum', 'maximum', ['is too small', 'is too large'], at) : []),
    ...(Array.isArray(value) ? arrayMisfits(schema, value, document, at) : []),
    ...(isObject(value) ? objectMisfits(schema, value, document, at) : []),
  ];
}

/** The keywords in `schema` that `misfits` does not check. It does not follow `$ref`. */
export function unknownKeywords(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const inner = [...Object.values(Object(schema['properties'])), schema['items'], schema['additionalProperties']];
  return [...Object.keys(schema).filter((keyword) => !CHECKED.includes(keyword) && !ANNOTATIONS.includes(keyword)), ...inner.flatMap(unknownKeywords)];
}

/** What a reference within the document refers to, such as `#/components/schemas/Greeting` (RFC 6901). */
export function resolve(reference: string, document: unknown): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const names = reference.slice(2).split('/').map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), document);
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer': return Number.isInteger(value);
    case 'array': return Array.isArray(value);
    case 'object': return isObject(value);
    case 'null': return value === null;
    default: return typeof value === type;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function combinedMisfits(schema: JsonObject, value: unknown, document: unknown, at: string): string[] {
  const each = (keyword: string) => (Array.isArray(schema[keyword]) ? schema[keyword].map((one) => misfits(one, value, document, at)) : undefined);
  const fitting = (results: readonly string[][] | undefined) => results?.filter((found) => found.length === 0).length;
  return [
    ...(each('allOf') ?? []).flat(),
    ...(fitting(each('anyOf')) === 0 ? [`${at}: fits none of anyOf`] : []),
    ...((fitting(each('oneOf')) ?? 1) !== 1 ? [`${at}: does not fit exactly one of oneOf`] : []),
  ];
}

function stringMisfits(schema: JsonObject, value: string, at: string): string[] {
  const pattern = schema['pattern'];
  const matches = typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value);
  return [
    ...(matches ? [] : [`${at}: does not match ${pattern}`]),
    ...boundMisfits(schema, Array.from(value).length, 'minLength', 'maxLength', ['is too short', 'is too long'], at),
  ];
}

function arrayMisfits(schema: JsonObject, value: readonly unknown[], document: unknown, at: string): string[] {
  return [
    ...boundMisfits(schema, value.length, 'minItems', 'maxItems', ['has too few items', 'has too many items'], at),
    ...value.flatMap((item, index) => misfits(schema['items'], item, document, `${at}[${index}]`)),
  ];
}

function boundMisfits(schema: JsonObject, value: number, low: string, high: string, words: readonly [string, string], at: string): string[] {
  const { [low]: minimum = -Infinity, [high]: maximum = Infinity } = schema;
  return [...(value < Number(minimum) ? [`${at}: ${words[0]}`] : []), ...(value > Number(maximum) ? [`${at}: ${words[1]}`] : [])];
}

function objectMisfits(schema: JsonObject, value: JsonObject, document: unknown, at: string): string[] {
  const properties = Object(schema['properties']);
  const required: unknown = schema['required'];
  const missing = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(value, name)) : [];
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (Object.hasOwn(properties, name)) return misfits(properties[name], member, document, `${at}.${name}`);
    if (schema['additionalProperties'] === false) return [`${at}.${name}: is not a known property`];
    return misfits(schema['additionalProperties'], member, document, `${at}.${name}`);
  });
  const few = boundMisfits(schema, Object.keys(value).length, 'minProperties', 'maxProperties', ['has too few members', 'has too many members'], at);
  return [...missing.map((name) => `${at}.${name}: is missing`), ...few, ...members];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
