// The endpoints of the contract and their limits, as data from which rows are made. Nothing is imported from `src` on purpose: the
// contract checks a server against the specification, so it must not take this from the server.
export const MIN_NAME_LENGTH = 1;
export const MAX_NAME_LENGTH = 80;
export const GREETINGS = '/api/greetings';
export const DESCRIPTION = '/openapi/v1.json';
export const INFO = { title: 'Greeting Service | v1', version: '1.0.0' };

type ConstantEndpoint = { readonly path: string; readonly mediaType: string; readonly body: string; readonly schema: object | undefined };

/** Those that reply to every GET with the same body. `schema`: of the body; undefined: the description does not have this endpoint. */
export const CONSTANT_ENDPOINTS: readonly ConstantEndpoint[] = [
  { path: '/health', mediaType: 'text/plain', body: 'Healthy', schema: undefined },
];

/** What the description says of GET to an endpoint. Words, examples and the names of components may differ. */
export type Shape = {
  readonly parameters: readonly Parameter[];
  /** For each status and media type, the schema of the body. */
  readonly replies: Readonly<Record<number, Readonly<Record<string, object>>>>;
};

type Parameter = { readonly name: string; readonly in: 'query'; readonly required: boolean; readonly schema: object };

const STRING = { type: 'string' };
const MESSAGES = { type: 'array', minItems: 1, items: STRING };

const NAME = { ...STRING, minLength: MIN_NAME_LENGTH, maxLength: MAX_NAME_LENGTH, pattern: '\\S', default: 'World' };
const PARAMETERS: readonly Parameter[] = [{ name: 'name', in: 'query', required: false, schema: NAME }];

const GREETINGS_SHAPE: Shape = {
  parameters: PARAMETERS,
  replies: {
    200: {
      'application/json': object({
        message: STRING,
        generatedAt: { ...STRING, format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$' },
      }),
    },
    400: {
      'application/problem+json': object({
        type: { ...STRING, format: 'uri', const: 'https://tools.ietf.org/html/rfc9110#section-15.5.1' },
        title: { ...STRING, const: 'One or more validation errors occurred.' },
        status: { type: 'integer', const: 400 },
        errors: {
          type: 'object', minProperties: 1, additionalProperties: false,
          properties: Object.fromEntries(PARAMETERS.map(({ name }) => [name, MESSAGES])),
        },
        traceId: { ...STRING, pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$' },
      }),
    },
    500: {
      'application/problem+json': object({
        title: { ...STRING, const: 'An unexpected error occurred.' },
        status: { type: 'integer', const: 500 },
        detail: { ...STRING, const: 'Contact support if the problem persists.' },
        instance: { ...STRING, format: 'uri-reference' },
      }),
    },
  },
};

/** An object that has all of these members and no others. */
function object(properties: object): object {
  return { type: 'object', required: Object.keys(properties), additionalProperties: false, properties };
}

/** The paths that the description must have, and no others, with what it says of each. */
export const DESCRIBED: Readonly<Record<string, Shape>> = {
  [GREETINGS]: GREETINGS_SHAPE,
  ...Object.fromEntries(CONSTANT_ENDPOINTS.flatMap(({ path, mediaType, schema }) =>
    (schema === undefined ? [] : [[path, { parameters: [], replies: { 200: { [mediaType]: schema } } }]]))),
};

export const DESCRIBED_PATHS: readonly string[] = Object.keys(DESCRIBED);
