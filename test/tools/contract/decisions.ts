// The rows of the decisions: what this project does where the specification says nothing. Another correct
// implementation may differ. Decisions that cannot be seen in a reply (configuration, log, exit codes) are tested
// elsewhere.
import { DESCRIBED_PATHS, DESCRIPTION, GREETINGS, INFO } from './endpoints.ts';
import * as exact from './exact.ts';
import { fieldIs, isString, member, memberIs, members, message, noBody, status, type Expectation } from './expectation.ts';
import { MAX_NAME_LENGTH } from './limits.ts';
import { documentOf, shapeMisfits } from './openapi.ts';
import { ask, given, head, type Expected, type Part, type Row, type Step, type Subject } from './row.ts';

export function decisions(subject: Subject): Part {
  const { authority, environment } = subject;
  const get = (target: string, expected: Expected, bytes: string | undefined, fields: readonly string[] = []) =>
    ask(subject, `GET ${target}`, expected, bytes, fields);
  const greeted = (says: string, query: string, name: string): Row => ({
    says, steps: [get(`${GREETINGS}${query}`, [status(200), message(name)], exact.greeting(`Hello, ${name}!`))],
  });
  const refused = (says: string, query: string, errors: Readonly<Record<string, string>>): Row => ({
    says, steps: [get(`${GREETINGS}${query}`, [status(400)], exact.invalid(errors))],
  });
  const health = (...expected: Expected) => given(200, get('/health', expected, exact.healthy()));
  const world = (...expected: Expected) => given(200, get(GREETINGS, expected, exact.greeting('Hello, World!')));
  const invalid = (expected: Expected, fields: readonly string[] = []) => given(400, get(`${GREETINGS}?name=`, expected, exact.invalid({ name: exact.TOO_SHORT }), fields));
  const notFound = (...expected: Expected) => given(404, get('/nope', expected, exact.empty(404)));
  const notAllowed = (...expected: Expected) => given(405, ask(subject, 'POST /health', expected, exact.empty(405)));
  const description = (...expected: Expected) => (environment === 'development' ? [given(200, get(DESCRIPTION, expected, undefined))] : []);

  return {
    name: 'decisions',
    sections: [
      {
        heading: '2: paths match byte for byte',
        rows: [
          '/health/', '/Health', '/HEALTH', '//health', '/health//', '/./health', '/api/../health', '/%68ealth', '/health%00', '/health%2F', '/health;a',
          '/api/greetings/', '/API/greetings', '/api/greetings%20', '/api%2Fgreetings', '/openapi/v1.JSON', '/openapi/v1', '/__proto__', '/constructor', '/toString',
        ].map((path): Row => ({
          says: `${path} is 404`,
          steps: ['GET', 'POST'].map((method) => ask(subject, `${method} ${path}?name=Ada`, [status(404)], exact.empty(404))),
        })),
      },
      {
        heading: '3: which name',
        rows: [
          greeted('a plus sign is decoded as a space', '?name=+Ada+Lovelace+', 'Ada Lovelace'),
          greeted('the first of several names is used', '?name=Ada&name=Grace&name=', 'Ada'),
          refused('the first of several names is used, also when it is empty', '?name=&name=Ada', { name: exact.TOO_SHORT }),
          greeted('keys are case-sensitive', '?NAME=&Name=&name=Ada', 'Ada'),
          greeted('a key in another case is ignored', '?NAME=', 'World'),
          greeted('an encoded key is the key', '?n%61me=Ada', 'Ada'),
          greeted('a second question mark belongs to the key', '??name=Ada', 'World'),
          greeted('an equals sign belongs to the value', '?name=a=b', 'a=b'),
          greeted('a semicolon does not separate', '?name=a;name=b', 'a;name=b'),
          greeted('keys of the prototype are ignored', '?__proto__=Ada&constructor=Ada', 'World'),
          greeted('invalid UTF-8 becomes U+FFFD', '?name=%FF%C3', '\uFFFD\uFFFD'),
          greeted('a percent sign without two hex digits stays unchanged', '?name=%zz%', '%zz%'),
          greeted('a percent sign with one hex digit stays unchanged', '?name=%2z', '%2z'),
          greeted('characters that a browser sends without encoding stay unchanged', '?name=<script>alert(1)</script>', '<script>alert(1)</script>'),
          greeted('a backslash is a character like any other (WHATWG URL Standard)', '?name=a\\b', 'a\\b'),
          { says: '/health ignores a query', steps: [get('/health?name=', [status(200)], exact.healthy())] },
        ],
      },
      {
        heading: '4: a character is a code point, counted before trimming',
        rows: [
          greeted(`${MAX_NAME_LENGTH} emoji, of two UTF-16 units each, are ${MAX_NAME_LENGTH} characters`, `?name=${'%F0%9F%98%80'.repeat(MAX_NAME_LENGTH)}`, '😀'.repeat(MAX_NAME_LENGTH)),
          refused(`${MAX_NAME_LENGTH + 1} emoji are too many`, `?name=${'%F0%9F%98%80'.repeat(MAX_NAME_LENGTH + 1)}`, { name: exact.tooLong(MAX_NAME_LENGTH + 1) }),
          greeted('white space around a name counts', `?name=+${'a'.repeat(MAX_NAME_LENGTH - 2)}+`, 'a'.repeat(MAX_NAME_LENGTH - 2)),
          refused('a name that is too long with the white space around it is too long', `?name=+${'a'.repeat(MAX_NAME_LENGTH)}+`, { name: exact.tooLong(MAX_NAME_LENGTH + 2) }),
          greeted('NUL is a character like any other', '?name=%00', '\0'),
          greeted('tabs, line feeds, no-break and wide spaces are white space', '?name=%09%0A%C2%A0%E3%80%80Ada%C2%A0%0D%09', 'Ada'),
        ],
      },
      {
        heading: '5: a name of white space only is refused',
        rows: [
          refused('a name of one space', '?name=%20', { name: exact.ONLY_SPACE }),
          refused(`a name of ${MAX_NAME_LENGTH} spaces`, `?name=${'%20'.repeat(MAX_NAME_LENGTH)}`, { name: exact.ONLY_SPACE }),
          refused(`a name of ${MAX_NAME_LENGTH + 1} spaces, which is too long`, `?name=${'+'.repeat(MAX_NAME_LENGTH + 1)}`, { name: exact.tooLong(MAX_NAME_LENGTH + 1) }),
          refused('a name of a tab and a no-break space', '?name=%09%C2%A0', { name: exact.ONLY_SPACE }),
        ],
      },
      { heading: '6: a name without an equals sign is empty', rows: [refused('?name is refused', '?name', { name: exact.TOO_SHORT })] },
      {
        heading: '7: traceId is a traceparent (W3C Trace Context)',
        rows: [
          { says: 'traceId has the form of a traceparent', steps: [invalid([traceId('00-<32 hex digits>-<16 hex digits>-<00 or 01>', /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)])] },
          { says: 'traceId has the trace id and the sampled flag of a valid traceparent, and another span id', steps: [invalid([inTrace('01')], [`traceparent: ${PARENT}-01`])] },
          { says: 'traceId is not sampled when the traceparent is not', steps: [invalid([inTrace('00')], [`Traceparent: ${PARENT}-00`])] },
          { says: 'of a traceparent of a later version the first four fields are used', steps: [invalid([inTrace('01')], [`traceparent: cc${PARENT.slice(2)}-01-more`])] },
          { says: 'of the flags of a traceparent only the sampled flag is used', steps: [invalid([inTrace('01')], [`traceparent: ${PARENT}-ff`])] },
          { says: 'two traceparents are ignored', steps: [invalid([inNewTrace], [`traceparent: ${PARENT}-01`, `traceparent: ${PARENT}-01`])] },
          ...[
            ['with upper-case digits', `${PARENT.toUpperCase()}-01`], ['with more after it', `${PARENT}-01-more`], ['of version ff', `ff${PARENT.slice(2)}-01`],
            ['without flags', PARENT], ['with a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`], ['with a span id of zeros', `${PARENT.slice(0, 36)}${'0'.repeat(16)}-01`],
          ].map(([what, value]): Row => ({ says: `a traceparent ${what} is ignored`, steps: [invalid([inNewTrace], [`traceparent: ${value}`])] })),
        ],
      },
      {
        heading: '8: any other method is 405 on a mapped path and 404 on any other',
        rows: [
          { says: 'a 405 has Allow: GET', steps: [notAllowed(fieldIs('Allow', 'GET')), given(405, ask(subject, `OPTIONS ${GREETINGS}`, [fieldIs('Allow', 'GET')], exact.empty(405)))] },
          ...['PROPFIND', 'QUERY', 'SEARCH', 'BREW', 'get'].map((method): Row => ({
            says: `${method} is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive`,
            steps: [
              ask(subject, `${method} /health`, [status(405)], exact.empty(405)),
              ask(subject, `${method} /nope`, [status(404)], exact.empty(404)),
            ],
          })),
          {
            says: 'CONNECT is 501, and ends the connection',
            steps: [{ send: head('CONNECT a.example:80 HTTP/1.1', `Host: ${authority}`), replies: [[status(501)]], closes: true, exact: exact.empty(501) }],
          },
        ],
      },
      {
        heading: '9: a reply without a body says so',
        rows: [
          { says: '404 has Content-Length: 0 and no Content-Type', steps: [notFound(...withoutContent)] },
          { says: '405 has Content-Length: 0 and no Content-Type', steps: [notAllowed(...withoutContent)] },
          { says: 'the 400 to an illegal request has Content-Length: 0 and no Content-Type', steps: [{ send: head('GET /health HTTP/1.1'), given: 400, replies: [withoutContent], exact: exact.empty(400) }] },
        ],
      },
      {
        heading: '10: type and title of a 400',
        rows: [
          { says: 'type is https://tools.ietf.org/html/rfc9110#section-15.5.1', steps: [invalid([memberIs('type', 'https://tools.ietf.org/html/rfc9110#section-15.5.1')])] },
          { says: 'title is "One or more validation errors occurred."', steps: [invalid([memberIs('title', 'One or more validation errors occurred.')])] },
        ],
      },
      {
        heading: '11: type of a 500',
        rows: [{ says: 'type of a 500 is absent', needs: 'an exception', steps: [given(500, get(GREETINGS, [memberIs('type', undefined)], exact.failed(GREETINGS)))] }],
      },
      {
        heading: '12: the precision of generatedAt',
        rows: [{
          says: 'generatedAt has milliseconds',
          steps: [world(member('generatedAt', 'three digits after the dot', (value) => isString(value) && /T\d\d:\d\d:\d\d\.\d{3}[+-]/.test(value)))],
        }],
      },
      {
        heading: '13: caching and sniffing',
        rows: [
          ...[['Cache-Control', 'no-store'], ['X-Content-Type-Options', 'nosniff']].map(([name = '', value]): Row => ({
            says: `every reply with a body has ${name}: ${value}`,
            steps: [health, world, (expected: Expectation) => invalid([expected])].map((step) => step(fieldIs(name, value))).concat(description(fieldIs(name, value))),
          })),
          ...['Server', 'X-Powered-By'].map((name): Row => ({
            says: `no reply has ${name}`,
            steps: [health(fieldIs(name, undefined)), invalid([fieldIs(name, undefined)]), notFound(fieldIs(name, undefined)), notAllowed(fieldIs(name, undefined))],
          })),
        ],
      },
      {
        heading: '16: the bodies have the members that the description lists',
        rows: [
          { says: 'a greeting has message and generatedAt only', steps: [world(members('message', 'generatedAt'))] },
          { says: 'a 400 has type, title, status, errors and traceId only', steps: [invalid([members('type', 'title', 'status', 'errors', 'traceId')])] },
          { says: 'errors has name only', steps: [invalid([member('errors', 'an object of name only', (errors) => Object.keys(Object(errors)).join() === 'name')])] },
        ],
      },
      ...(environment === 'development' ? [{ heading: '16: the description', rows: descriptionRows(description) }] : []),
    ],
  };
}

const withoutContent = [fieldIs('Content-Length', '0'), fieldIs('Content-Type', undefined), noBody];

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';

function traceId(text: string, pattern: RegExp): Expectation {
  return member('traceId', text, (value) => isString(value) && pattern.test(value));
}

function inTrace(flags: string): Expectation {
  return traceId(
    `the caller's trace id and flags ${flags}, with another span id`,
    new RegExp(`^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-${flags}$`),
  );
}

const inNewTrace = member('traceId', "not in the caller's trace", (value) => !/4bf92f3577b34da6a3ce929d0e0e4736/i.test(String(value)));

function descriptionRows(description: (...expected: Expected) => Step[]): Row[] {
  return [
    { says: 'the description is OpenAPI 3.1', steps: description(member('openapi', 'a version 3.1', (version) => isString(version) && /^3\.1\.\d+$/.test(version))) },
    { says: 'the description has the title and the version', steps: description(memberIs('info', INFO)) },
    { says: 'the description names no servers', steps: description(memberIs('servers', undefined)) },
    { says: 'the description says that no authentication is needed', steps: description(memberIs('security', [])) },
    ...DESCRIBED_PATHS.map((path): Row => ({
      says: `the description of GET ${path} has the parameters, replies and schemas of this service`,
      steps: description(),
      review: { of: 'row', text: 'what endpoints.ts has, in any words', misfits: (seen) => shapeMisfits(documentOf(seen, DESCRIPTION), path) },
    })),
  ];
}
