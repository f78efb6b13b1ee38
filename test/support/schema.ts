// The part of JSON Schema 2020-12 that the description uses, checked by hand.

export type Schema = {
  readonly type: string;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
};

const ANNOTATIONS = ['format', 'description', 'default'];
const CHECKED = ['type', 'const', 'pattern', 'minLength', 'maxLength', 'minItems', 'items', 'required', 'properties', 'additionalProperties'];

/** What of `value` does not fit `schema`: a line for each misfit, none when it fits. */
export function misfits(schema: Schema, value: unknown, at = '$'): string[] {
  const found = Object.keys(schema)
    .filter((keyword) => !CHECKED.includes(keyword) && !ANNOTATIONS.includes(keyword))
    .map((keyword) => `${at}: this check does not know the keyword ${keyword}`);
  if ('const' in schema && value !== schema.const) found.push(`${at}: is not ${JSON.stringify(schema.const)}`);
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? [...found, ...stringMisfits(schema, value, at)] : [...found, `${at}: is not a string`];
    case 'integer':
      return Number.isInteger(value) ? found : [...found, `${at}: is not an integer`];
    case 'array':
      return Array.isArray(value) ? [...found, ...arrayMisfits(schema, value, at)] : [...found, `${at}: is not an array`];
    case 'object':
      return isObject(value) ? [...found, ...objectMisfits(schema, value, at)] : [...found, `${at}: is not an object`];
    default:
      return [...found, `${at}: this check does not know the type ${schema.type}`];
  }
}

function stringMisfits(schema: Schema, value: string, at: string): string[] {
  const length = Array.from(value).length;
  return [
    ...(schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value) ? [`${at}: does not match ${schema.pattern}`] : []),
    ...(length < (schema.minLength ?? 0) ? [`${at}: is too short`] : []),
    ...(length > (schema.maxLength ?? Infinity) ? [`${at}: is too long`] : []),
  ];
}

function arrayMisfits(schema: Schema, value: readonly unknown[], at: string): string[] {
  const { items, minItems = 0 } = schema;
  return [
    ...(value.length < minItems ? [`${at}: has too few items`] : []),
    ...(items === undefined ? [] : value.flatMap((item, index) => misfits(items, item, `${at}[${index}]`))),
  ];
}

function objectMisfits(schema: Schema, value: Readonly<Record<string, unknown>>, at: string): string[] {
  const properties = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const members = Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name];
    if (known !== undefined) return misfits(known, member, `${at}.${name}`);
    return schema.additionalProperties === false ? [`${at}.${name}: is not a known property`] : [];
  });
  return [...missing.map((name) => `${at}.${name}: is missing`), ...members];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
