// GET /openapi/v1.json replies with this OpenAPI 3.1 document, in Development only. Tests see to it that it is true.
import { contentReply } from '../http/reply.ts';
import type { Handler } from '../http/request.ts';

/** The description of the API. */
export const description = {
  openapi: '3.1.1',
  info: { title: 'Greeting Service | v1', version: '1.0.0', description: 'Greets people by name.' },
  security: [],
  tags: [{ name: 'Greetings', description: 'Greetings by name.' }],
  paths: {
    '/api/greetings': {
      get: {
        operationId: 'getGreeting', tags: ['Greetings'], summary: 'Greet someone',
        description: 'Greets the given name, or the world when no name is given.',
        parameters: [{
          name: 'name', in: 'query', required: false,
          description: 'Whom to greet: not only white space. The length is counted in Unicode code points.',
          example: 'Ada Lovelace',
          schema: { type: 'string', minLength: 1, maxLength: 80, pattern: '\\S', default: 'World' },
        }],
        responses: {
          200: { description: 'The greeting.', content: { 'application/json': {
            schema: { $ref: '#/components/schemas/GreetingResponse' },
            example: { message: 'Hello, Ada Lovelace!', generatedAt: '2026-11-20T10:15:30.123+00:00' },
          } } },
          400: { description: 'The name breaks a rule.', content: { 'application/problem+json': {
            schema: { $ref: '#/components/schemas/ValidationProblem' },
          } } },
          500: { description: 'An unexpected error.', content: { 'application/problem+json': {
            schema: { $ref: '#/components/schemas/UnexpectedProblem' },
          } } },
        },
      },
    },
  },
  components: { schemas: {
    GreetingResponse: {
      description: 'A greeting.', type: 'object', additionalProperties: false,
      required: ['message', 'generatedAt'],
      properties: {
        message: { type: 'string', description: '`Hello, <name>!`, without the white space around the name.' },
        generatedAt: {
          description: 'The time of the greeting: UTC, to the millisecond, with a numeric offset.',
          type: 'string', format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$',
        },
      },
    },
    ValidationProblem: {
      description: 'What is wrong with the parameters (RFC 9457).', type: 'object', additionalProperties: false,
      required: ['type', 'title', 'status', 'errors', 'traceId'],
      properties: {
        type: { type: 'string', format: 'uri', const: 'https://tools.ietf.org/html/rfc9110#section-15.5.1' },
        title: { type: 'string', const: 'One or more validation errors occurred.' },
        status: { type: 'integer', const: 400 },
        errors: {
          description: 'For each offending parameter, what is wrong with it and what is accepted.',
          type: 'object', minProperties: 1, additionalProperties: false,
          properties: { name: { type: 'array', minItems: 1, items: { type: 'string' } } },
        },
        traceId: {
          description: 'The W3C `traceparent` of this reply. Log lines about the request have it, too.',
          type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$',
        },
      },
    },
    UnexpectedProblem: {
      description: 'Something failed inside the service (RFC 9457); the log has the details.',
      type: 'object', additionalProperties: false,
      required: ['title', 'status', 'detail', 'instance'],
      properties: {
        title: { type: 'string', const: 'An unexpected error occurred.' },
        status: { type: 'integer', const: 500 },
        detail: { type: 'string', const: 'Contact support if the problem persists.' },
        instance: { description: 'The path of the failed request.', type: 'string', format: 'uri-reference' },
      },
    },
  } },
} as const;

const reply = contentReply(200, 'application/json', JSON.stringify(description));

/** The endpoint, which replies with the description. */
export const descriptionEndpoint: Handler = () => reply;
