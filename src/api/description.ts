// GET /openapi/v1.json replies with an OpenAPI 3.1 document that describes the greeting endpoint. This file is loaded in Development only.
import { contentReply, unexpectedProblem, type Handler, type Reply } from '../http/messages.ts';
import { createGreetingEndpoint } from './greeting-endpoint.ts';
import { DEFAULT_PARAMETERS, PARAMETERS } from './greeting-query.ts';
import { version } from './version.ts';

/** The schema of an object that has all of these members, and no others. */
const objectOf = <T extends object>(description: string, properties: T) =>
  ({ type: 'object', required: Object.keys(properties), additionalProperties: false, description, properties });

const messages = { type: 'array', minItems: 1, items: { type: 'string' } };

const schemas = {
  GreetingResponse: objectOf('A greeting.', {
    message: { type: 'string', description: '`Hello, <name>!`, without the white space around the name.' },
    generatedAt: {
      type: 'string', format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$',
      description: 'The time of the greeting: UTC, to the millisecond, with a numeric offset.',
    },
  }),
  ValidationProblem: objectOf('What is wrong with the parameters (RFC 9457).', {
    type: { type: 'string', format: 'uri', const: 'https://tools.ietf.org/html/rfc9110#section-15.5.1' },
    title: { type: 'string', const: 'One or more validation errors occurred.' },
    status: { type: 'integer', const: 400 },
    errors: {
      type: 'object', minProperties: 1, additionalProperties: false,
      description: 'For each offending parameter, what is wrong with it and what is accepted.',
      properties: Object.fromEntries(PARAMETERS.map(({ name }) => [name, messages])),
    },
    traceId: {
      type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$',
      description: 'The W3C `traceparent` of this reply. Log lines about the request have it, too.',
    },
  }),
  UnexpectedProblem: objectOf('Something failed inside the service (RFC 9457); the log has the details.', {
    title: { type: 'string', const: 'An unexpected error occurred.' },
    status: { type: 'integer', const: 500 },
    detail: { type: 'string', const: 'Contact support if the problem persists.' },
    instance: { type: 'string', format: 'uri-reference', description: 'The path of the failed request.' },
  }),
};

// The examples are what the endpoint replies to the requests below, at this fixed time.
const greetings = createGreetingEndpoint(() => Date.UTC(2026, 10, 20, 10, 15, 30, 123));
const traced = { parent: undefined, own: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' };

const PROBLEM = 'application/problem+json';

/** Describes a reply. Its content, which is JSON of this media type, is the example. */
function response(description: string, mediaType: string, schema: keyof typeof schemas, { body }: Reply) {
  const example: unknown = JSON.parse(body);
  return { description, content: { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` }, example } } };
}

/** The description of the API. */
export const document = {
  openapi: '3.1.1',
  info: { title: 'Greeting Service | v1', version },
  security: [],
  tags: [{ name: 'Greetings', description: 'Greetings by name.' }],
  paths: {
    '/api/greetings': {
      get: {
        operationId: 'getGreeting',
        tags: ['Greetings'],
        summary: 'Greet someone',
        description: 'Greets the given name, or the world when no name is given.',
        parameters: PARAMETERS.map(({ name, description, example, schema }) => ({
          name, in: 'query', required: false, description, example, schema: { ...schema, default: DEFAULT_PARAMETERS[name] },
        })),
        responses: {
          200: response('The greeting.', 'application/json', 'GreetingResponse', greetings({ query: 'name=Ada%20Lovelace', ...traced })),
          400: response('A parameter breaks a rule.', PROBLEM, 'ValidationProblem', greetings({ query: 'name=', ...traced })),
          500: response('An unexpected error.', PROBLEM, 'UnexpectedProblem', unexpectedProblem('/api/greetings')),
        },
      },
    },
  },
  components: { schemas },
} as const;

const reply = contentReply(200, 'application/json', JSON.stringify(document));

/** The endpoint, which replies with the description. */
export const descriptionEndpoint: Handler = () => reply;
