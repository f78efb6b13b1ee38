// Finds values in JSON, and compares them with a schema.

/** The value at this place in a JSON value; undefined: there is none. */
export function inside(value: unknown, ...names: readonly string[]): unknown {
  let inner = value;
  for (const name of names) inner = Object.getOwnPropertyDescriptor(Object(inner), name)?.value;
  return inner;
}

/** The places where a JSON value does not fit a schema. These keywords of JSON Schema 2020-12 are known. */
export function misfits(schema: unknown, value: unknown, at = '$'): string[] {
  if (schema === false) return [at];
  const { type, minItems = 0, items, required = [], properties, additionalProperties } = Object(schema);
  const typeOfValue = Array.isArray(value) ? 'array' : typeof (value ?? undefined); // null is no object
  const members = typeof value === 'object' ? Object.entries(value ?? {}) : [];
  const isComplete = members.length >= minItems && required.every((name: string) => inside(value, name) !== undefined);
  const inner = members.flatMap(([name, member]) =>
    misfits(Array.isArray(value) ? items : inside(properties, name) ?? additionalProperties, member, `${at}.${name}`));
  return (type ?? typeOfValue) === typeOfValue && isComplete ? inner : [at, ...inner];
}
