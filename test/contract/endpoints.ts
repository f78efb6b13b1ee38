// The endpoints of the contract, as data, for the rows and for the second implementation that tests the rows; and the
// description of this service, word for word.
import { MAX_NAME_LENGTH, MIN_NAME_LENGTH } from './limits.ts';

export const GREETINGS = '/api/greetings';

export const DESCRIPTION = '/openapi/v1.json';

/** An endpoint that replies to every GET with the same body. */
export type ConstantEndpoint = {
  readonly path: string;
  readonly mediaType: string;
  readonly body: string;
  /** Whether the description must have it. */
  readonly isDescribed: boolean;
};

export const CONSTANT_ENDPOINTS: readonly ConstantEndpoint[] = [
  { path: '/health', mediaType: 'text/plain', body: 'Healthy', isDescribed: false },
];

/** The paths that the description must have, and no others. */
export const DESCRIBED_PATHS: readonly string[] = [GREETINGS, ...CONSTANT_ENDPOINTS.filter(({ isDescribed }) => isDescribed).map(({ path }) => path)];

/** The description of this service. Other implementations may use other words. */
export const DESCRIPTION_DOCUMENT: unknown = {
  openapi: '3.1.1',
  info: { title: 'Greeting Service | v1', version: '1.0.0' },
  security: [],
  tags: [
    { name: 'Greetings', description: 'Greetings by name.' },
  ],
  paths: {
    '/api/greetings': {
      get: {
        operationId: 'getGreeting',
        tags: ['Greetings'],
        summary: 'Greet someone',
        description: 'Greets the given name, or the world when no name is given.',
        parameters: [
          {
            name: 'name',
            in: 'query',
            required: false,
            description: 'Who is greeted. A name must not be only white space. Characters are Unicode code points.',
            schema: { type: 'string', minLength: MIN_NAME_LENGTH, maxLength: MAX_NAME_LENGTH, pattern: '\\S', default: 'World' },
            example: 'Ada Lovelace',
          },
        ],
        responses: {
          200: {
            description: 'The greeting.',
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/GreetingResponse' },
                example: { message: 'Hello, Ada Lovelace!', generatedAt: '2026-11-20T10:15:30.123+00:00' },
              },
            },
          },
          400: {
            description: 'The name breaks a rule.',
            content: {
              'application/problem+json': {
                schema: { $ref: '#/components/schemas/ValidationProblem' },
                example: {
                  type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
                  title: 'One or more validation errors occurred.',
                  status: 400,
                  errors: { name: [`The name is empty: ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters are accepted.`] },
                  traceId: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
                },
              },
            },
          },
          500: {
            description: 'An unexpected error.',
            content: {
              'application/problem+json': {
                schema: { $ref: '#/components/schemas/UnexpectedProblem' },
                example: {
                  title: 'An unexpected error occurred.',
                  status: 500,
                  detail: 'Contact support if the problem persists.',
                  instance: '/api/greetings',
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      GreetingResponse: {
        type: 'object',
        description: 'A greeting, computed for this request.',
        required: ['message', 'generatedAt'],
        additionalProperties: false,
        properties: {
          message: { type: 'string', description: '`Hello, <name>!`, without the white space around the name.' },
          generatedAt: {
            type: 'string',
            format: 'date-time',
            description: 'The instant of the greeting: UTC, in milliseconds, with a numeric offset.',
            pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$',
          },
        },
      },
      ValidationProblem: {
        type: 'object',
        description: 'What is wrong with the parameters (RFC 9457).',
        required: ['type', 'title', 'status', 'errors', 'traceId'],
        additionalProperties: false,
        properties: {
          type: { type: 'string', format: 'uri', const: 'https://tools.ietf.org/html/rfc9110#section-15.5.1' },
          title: { type: 'string', const: 'One or more validation errors occurred.' },
          status: { type: 'integer', const: 400 },
          errors: {
            type: 'object',
            description: 'For each offending parameter, what is wrong with it and what is accepted.',
            required: ['name'],
            additionalProperties: false,
            properties: { name: { type: 'array', minItems: 1, items: { type: 'string' } } },
          },
          traceId: {
            type: 'string',
            description: 'The W3C `traceparent` of this reply. Log lines about the request have it, too.',
            pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$',
          },
        },
      },
      UnexpectedProblem: {
        type: 'object',
        description: 'Something failed inside the service (RFC 9457); the log has the details.',
        required: ['title', 'status', 'detail', 'instance'],
        additionalProperties: false,
        properties: {
          title: { type: 'string', const: 'An unexpected error occurred.' },
          status: { type: 'integer', const: 500 },
          detail: { type: 'string', const: 'Contact support if the problem persists.' },
          instance: { type: 'string', format: 'uri-reference', description: 'The path of the failed request.' },
        },
      },
    },
  },
};
