// The rows of the decisions: what this project does where the specification says nothing. Another correct
// implementation may differ. Decisions that cannot be seen in a reply (configuration, log, exit codes) are tested
// elsewhere.
import { DESCRIBED_PATHS, DESCRIPTION, GREETINGS, INFO, MAX_NAME_LENGTH as MAX } from './endpoints.ts';
import { fieldIs, matches, member, memberIs, members, message, noBody, status, type Expectation } from './expectation.ts';
import { documentOf, shapeMisfits } from './openapi.ts';
import { ask, given, head, row, type Expected, type Part, type Row, type Step, type Subject } from './row.ts';

export function decisions(subject: Subject): Part {
  const { authority, environment } = subject;
  const get = (target: string, expected: Expected, fields: readonly string[] = []) => ask(subject, `GET ${target}`, expected, fields);
  const greeted = (says: string, query: string, name: string): Row => row(says, get(`${GREETINGS}${query}`, [status(200), message(name)]));
  const refused = (says: string, query: string): Row => row(says, get(`${GREETINGS}${query}`, [status(400)]));
  const health = (...expected: Expected) => given(200, get('/health', expected));
  const world = (...expected: Expected) => given(200, get(GREETINGS, expected));
  const invalid = (expected: Expected, ...fields: readonly string[]) => given(400, get(`${GREETINGS}?name=`, expected, fields));
  const notFound = (...expected: Expected) => given(404, get('/nope', expected));
  const notAllowed = (...expected: Expected) => given(405, ask(subject, 'POST /health', expected));
  const illegal = (...expected: Expected) => given(400, { send: head('GET /health HTTP/1.1'), replies: [expected] });
  const description = (...expected: Expected) => (environment === 'development' ? [given(200, get(DESCRIPTION, expected))] : []);

  return {
    name: 'decisions',
    sections: [
      {
        heading: '2: paths match byte for byte',
        rows: [
          '/health/', '/Health', '/HEALTH', '//health', '/health//', '/./health', '/api/../health', '/%68ealth', '/health%00', '/health%2F', '/health;a',
          '/api/greetings/', '/API/greetings', '/api/greetings%20', '/api%2Fgreetings', '/openapi/v1.JSON', '/openapi/v1', '/__proto__', '/constructor', '/toString',
        ].map((path) => row(`${path} is 404`, ...['GET', 'POST'].map((method) => ask(subject, `${method} ${path}?name=Ada`, [status(404)])))),
      },
      {
        heading: '3: which name',
        rows: [
          greeted('a plus sign is decoded as a space', '?name=+Ada+Lovelace+', 'Ada Lovelace'),
          greeted('the first of several names is used', '?name=Ada&name=Grace&name=', 'Ada'),
          refused('the first of several names is used, also when it is empty', '?name=&name=Ada'),
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
          row('/health ignores a query', get('/health?name=', [status(200)])),
        ],
      },
      {
        heading: '4: a character is a code point, counted before trimming',
        rows: [
          greeted(`${MAX} emoji, of two UTF-16 units each, are ${MAX} characters`, `?name=${'%F0%9F%98%80'.repeat(MAX)}`, '😀'.repeat(MAX)),
          refused(`${MAX + 1} emoji are too many`, `?name=${'%F0%9F%98%80'.repeat(MAX + 1)}`),
          greeted('white space around a name counts', `?name=+${'a'.repeat(MAX - 2)}+`, 'a'.repeat(MAX - 2)),
          refused('a name that is too long with the white space around it is too long', `?name=+${'a'.repeat(MAX)}+`),
          greeted('NUL is a character like any other', '?name=%00', '\0'),
          greeted('tabs, line feeds, no-break and wide spaces are white space', '?name=%09%0A%C2%A0%E3%80%80Ada%C2%A0%0D%09', 'Ada'),
        ],
      },
      {
        heading: '5: a name of white space only is refused',
        rows: [
          refused('a name of one space', '?name=%20'),
          refused(`a name of ${MAX} spaces`, `?name=${'%20'.repeat(MAX)}`),
          refused(`a name of ${MAX + 1} spaces, which is too long`, `?name=${'+'.repeat(MAX + 1)}`),
          refused('a name of a tab and a no-break space', '?name=%09%C2%A0'),
        ],
      },
      { heading: '6: a name without an equals sign is empty', rows: [refused('?name is refused', '?name')] },
      {
        heading: '7: traceId is a traceparent (W3C Trace Context)',
        rows: [
          row('traceId has the form of a traceparent', invalid([matches('traceId', '00-<32 hex digits>-<16 hex digits>-<00 or 01>', /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/, undefined, crypto.randomUUID())])),
          row('traceId has the trace id and the sampled flag of a valid traceparent, and another span id', invalid([inTrace('01')], `traceparent: ${PARENT}-01`)),
          row('traceId is not sampled when the traceparent is not', invalid([inTrace('00')], `Traceparent: ${PARENT}-00`)),
          row('of a traceparent of a later version the first four fields are used', invalid([inTrace('01')], `traceparent: cc${PARENT.slice(2)}-01-more`)),
          row('of the flags of a traceparent only the sampled flag is used', invalid([inTrace('01')], `traceparent: ${PARENT}-ff`)),
          row('two traceparents are ignored', invalid([inNewTrace], `traceparent: ${PARENT}-01`, `traceparent: ${PARENT}-01`)),
          ...[
            ['with upper-case digits', `${PARENT.toUpperCase()}-01`], ['with more after it', `${PARENT}-01-more`], ['of version ff', `ff${PARENT.slice(2)}-01`],
            ['without flags', PARENT], ['with a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`], ['with a span id of zeros', `${PARENT.slice(0, 36)}${'0'.repeat(16)}-01`],
          ].map(([what, value]) => row(`a traceparent ${what} is ignored`, invalid([inNewTrace], `traceparent: ${value}`))),
        ],
      },
      {
        heading: '8: any other method is 405 on a mapped path and 404 on any other',
        rows: [
          row('a 405 has Allow: GET', notAllowed(fieldIs('Allow', 'GET')), given(405, ask(subject, `OPTIONS ${GREETINGS}`, [fieldIs('Allow', 'GET')]))),
          ...['PROPFIND', 'QUERY', 'SEARCH', 'BREW', 'get'].map((method) => row(
            `${method} is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive`,
            ask(subject, `${method} /health`, [status(405)]), ask(subject, `${method} /nope`, [status(404)]),
          )),
          row('CONNECT is 501, and ends the connection', { send: head('CONNECT a.example:80 HTTP/1.1', `Host: ${authority}`), replies: [[status(501)]], closes: true }),
        ],
      },
      {
        heading: '9: a reply without a body says so',
        rows: ([['404', notFound], ['405', notAllowed], ['the 400 to an illegal request', illegal]] as const).map(([what, step]) =>
          row(`${what} has Content-Length: 0 and no Content-Type`, step(fieldIs('Content-Length', '0'), fieldIs('Content-Type', undefined), noBody))),
      },
      {
        heading: '10: type and title of a 400',
        rows: [['type', 'https://tools.ietf.org/html/rfc9110#section-15.5.1'], ['title', 'One or more validation errors occurred.']].map(([name = '', value]) =>
          row(`${name} is "${value}"`, invalid([memberIs(name, value)]))),
      },
      {
        heading: '11: type of a 500',
        rows: [{ ...row('type of a 500 is absent', given(500, get(GREETINGS, [memberIs('type', undefined)]))), needs: 'an exception' }],
      },
      {
        heading: '12: the precision of generatedAt',
        rows: [row('generatedAt has milliseconds', world(matches('generatedAt', 'three digits after the dot', /T\d\d:\d\d:\d\d\.\d{3}[+-]/, '2026-11-20T10:15:30+00:00')))],
      },
      {
        heading: '13: caching and sniffing',
        rows: [
          ...[fieldIs('Cache-Control', 'no-store'), fieldIs('X-Content-Type-Options', 'nosniff')].map((expected) =>
            row(`every reply with a body has ${expected.text}`, health(expected), world(expected), invalid([expected]), ...description(expected))),
          ...[fieldIs('Server', undefined), fieldIs('X-Powered-By', undefined)].map((expected) =>
            row(`every reply has ${expected.text}`, health(expected), invalid([expected]), notFound(expected), notAllowed(expected))),
        ],
      },
      {
        heading: '16: the bodies have the members that the description lists',
        rows: [
          row('a greeting has message and generatedAt only', world(members('message', 'generatedAt'))),
          row('a 400 has type, title, status, errors and traceId only', invalid([members('type', 'title', 'status', 'errors', 'traceId')])),
          row('errors has name only', invalid([member('errors', 'an object of name only', (errors) => Object.keys(Object(errors)).join() === 'name', {}, { name: [], other: [] })])),
        ],
      },
      ...(environment === 'development' ? [{ heading: '16: the description', rows: descriptionRows(description) }] : []),
    ],
  };
}

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';

function inTrace(flags: string): Expectation {
  const pattern = new RegExp(`^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-${flags}$`);
  const wrong = [`${PARENT}-${flags}`, `00-${'4b'.repeat(16)}-${'1'.repeat(16)}-${flags}`, `${PARENT.slice(0, 36)}${'1'.repeat(16)}-${flags === '00' ? '01' : '00'}`];
  return matches('traceId', `the caller's trace id and flags ${flags}, with another span id`, pattern, undefined, ...wrong);
}

const inNewTrace = member('traceId', "not in the caller's trace", (value) => !/4bf92f3577b34da6a3ce929d0e0e4736/i.test(String(value)), `${PARENT}-00`, `${PARENT.toUpperCase()}-00`);

function descriptionRows(description: (...expected: Expected) => Step[]): Row[] {
  return [
    row('the description is OpenAPI 3.1', ...description(matches('openapi', 'a version 3.1', /^3\.1\.\d+$/, undefined, '3.0.4'))),
    row('the description has the title and the version', ...description(memberIs('info', INFO))),
    row('the description names no servers', ...description(memberIs('servers', undefined))),
    row('the description says that no authentication is needed', ...description(memberIs('security', []))),
    ...DESCRIBED_PATHS.map((path): Row => ({
      ...row(`the description of GET ${path} has the parameters, replies and schemas of this service`, ...description()),
      review: { of: 'row', text: 'what endpoints.ts has, in any words', misfits: (seen) => shapeMisfits(documentOf(seen, DESCRIPTION), path) },
    })),
  ];
}
