// The rows of the decisions: what this project does where the specification says nothing. Another correct implementation may differ.
// Decisions that cannot be seen in a reply (configuration, log, exit codes) are tested elsewhere.
import { head } from '../../support/corpus/entry.ts';
import { DESCRIPTION, GREETINGS, INFO, MAX_NAME_LENGTH as MAX } from './endpoints.ts';
import { fieldIs, matches, member, memberIs, members, noBody, status, type Expectation } from './expectation.ts';
import { asking, row, type Change, type Expected, type Row, type Sections, type Subject } from './row.ts';

const NOT_MAPPED = [
  '/health/', '/Health', '/HEALTH', '//health', '/health//', '/./health', '/api/../health', '/%68ealth', '/health%00', '/health%2F',
  '/health;a', '/api/greetings/', '/API/greetings', '/api/greetings%20', '/api%2Fgreetings', '/openapi/v1.JSON', '/openapi/v1',
  '/__proto__', '/constructor', '/toString',
];

export function decisions(subject: Subject): Sections {
  const { authority, environment } = subject;
  const { ask, given, askUnmapped, greeted, refused } = asking(subject);
  const health = (expected: Expectation) => given(200, 'GET /health', [expected]);
  const world = (expected: Expectation) => given(200, `GET ${GREETINGS}`, [expected]);
  const invalid = (expected: Expectation, ...fields: readonly string[]) => given(400, `GET ${GREETINGS}?name=`, [expected], ...fields);
  const notFound = (...expected: Expected) => given(404, 'GET /nope', expected);
  const notAllowed = (...expected: Expected) => given(405, 'POST /health', expected);
  const description = (...expected: Expected) => given(200, `GET ${DESCRIPTION}`, expected);
  const connect = head('CONNECT a.example:80 HTTP/1.1', `Host: ${authority}`);
  const described = environment === 'development' ? [description] : [];
  const traced = (says: string, expected: Expectation, value: string, misread: Change = UNTRACED, name = 'traceparent'): Row =>
    ({ ...row(says, invalid(expected, `${name}: ${value}`)), misread });

  return {
    '2: paths match byte for byte': NOT_MAPPED.map((path) => row(`${path} is 404`, ...askUnmapped(`${path}?name=Ada`))),
    '3: which name': [
      greeted('a plus sign is decoded as a space', '?name=+Ada+Lovelace+', 'Ada Lovelace', ['+', '%2B']),
      greeted('the first of several names is used', '?name=Ada&name=Grace&name=', 'Ada', ['name=Ada&', '']),
      refused('the first of several names is used, also when it is empty', '?name=&name=Ada', ['name=&', '']),
      greeted('keys are case-sensitive', '?NAME=&Name=&name=Ada', 'Ada', ['NAME', 'name']),
      greeted('a key in another case is ignored', '?NAME=', 'World', ['NAME', 'name']),
      greeted('an encoded key is the key', '?n%61me=Ada', 'Ada', ['%61', '%2561']),
      greeted('a second question mark belongs to the key', '??name=Ada', 'World', ['??', '?']),
      greeted('an equals sign belongs to the value', '?name=a=b', 'a=b', ['a=b', 'a']),
      greeted('a semicolon does not separate', '?name=a;name=b', 'a;name=b', [';', '&']),
      greeted('keys of the prototype are ignored', '?__proto__=Ada&constructor=Ada', 'World', ['__proto__', 'name']),
      greeted('invalid UTF-8 becomes U+FFFD', '?name=%FF%C3', '\uFFFD\uFFFD', ['%FF%C3', '']),
      greeted('a percent sign without two hex digits stays unchanged', '?name=%zz%', '%zz%', ['%zz%', '']),
      greeted('a percent sign with one hex digit stays unchanged', '?name=%2z+a%2', '%2z a%2', ['%2z', '']),
      greeted('characters that a browser sends without encoding stay unchanged', `?name=${SCRIPT}`, SCRIPT),
      greeted('a backslash is a character like any other (WHATWG URL Standard)', '?name=a\\b', 'a\\b'),
      row('/health ignores a query', ask('GET /health?name=', [status(200)])),
    ],
    '4: a character is a code point, counted before trimming': [
      greeted(`${MAX} emoji of two UTF-16 units are ${MAX} characters`, `?name=${EMOJI.repeat(MAX)}`, '😀'.repeat(MAX), [EMOJI, 'aa']),
      refused(`${MAX + 1} emoji are too many`, `?name=${EMOJI.repeat(MAX + 1)}`, [EMOJI + EMOJI, 'a']),
      greeted('white space around a name counts', `?name=+${'a'.repeat(MAX - 2)}+`, 'a'.repeat(MAX - 2)),
      refused('a name that is too long with the white space around it is too long', `?name=+${'a'.repeat(MAX)}+`, ['+', '']),
      greeted('NUL is a character like any other', '?name=%00', '\0', ['%00', '']),
      greeted(
        'tabs, line feeds, no-break and wide spaces are white space',
        '?name=%09%0A%C2%A0%E3%80%80Ada%C2%A0%0D%09', 'Ada', ['%C2%A0', '%C2%B7'],
      ),
    ],
    '5: a name of white space only is refused': [
      refused('a name of one space', '?name=%20', ['%20', 'a']),
      refused(`a name of ${MAX} spaces`, `?name=${'%20'.repeat(MAX)}`, ['%20', 'a']),
      refused(`a name of ${MAX + 1} spaces, which is too long`, `?name=${'+'.repeat(MAX + 1)}`),
      refused('a name of a tab and a no-break space', '?name=%09%C2%A0', ['%C2%A0', '%C2%B7']),
    ],
    '6: a name without an equals sign is empty': [refused('?name is refused', '?name', ['?name', '?'])],
    '7: traceId is a traceparent (W3C Trace Context)': [
      row('traceId has the form of a traceparent', invalid(matches(
        'traceId', '00-<32 hex digits>-<16 hex digits>-<00 or 01>', /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/, undefined, crypto.randomUUID(),
      ))),
      traced('traceId has the trace id and the sampled flag of a valid traceparent, and another span id', inTrace('01'), `${PARENT}-01`),
      traced('traceId is not sampled when the traceparent is not', inTrace('00'), `${PARENT}-00`, undefined, 'Traceparent'),
      traced('of a traceparent of a later version the first four fields are used', inTrace('01'), `cc${PARENT.slice(2)}-01-more`),
      traced('of the flags of a traceparent only the sampled flag is used', inTrace('01'), `${PARENT}-ff`),
      traced('two traceparents are ignored', inNewTrace, `${PARENT}-01\r\ntraceparent: ${PARENT}-01`, [/(\r\ntraceparent.*)\1/g, '$1']),
      ...([
        ['with upper-case digits', `${PARENT.toUpperCase()}-01`], ['with more after it', `${PARENT}-01-more`],
        ['of version ff', `ff${PARENT.slice(2)}-01`], ['without flags', PARENT],
        ['with a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`], ['with a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
      ] as const).map(([what, value]) => traced(`a traceparent ${what} is ignored`, inNewTrace, value, [value, `${PARENT}-01`])),
    ],
    '8: any other method is 405 on a mapped path and 404 on any other': [
      row('a 405 has Allow: GET', notAllowed(fieldIs('Allow', 'GET')), given(405, `OPTIONS ${GREETINGS}`, [fieldIs('Allow', 'GET')])),
      ...['PROPFIND', 'QUERY', 'SEARCH', 'BREW', 'get'].map((method) => row(
        `${method} is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive`,
        ask(`${method} /health`, [status(405)]), ask(`${method} /nope`, [status(404)]),
      )),
      row('CONNECT is 501, and ends the connection', { send: connect, replies: [[status(501)]], closes: true }),
    ],
    '9: a reply without a body says so': [
      ...([
        ['404', notFound(...withoutBody)], ['405', notAllowed(...withoutBody)],
        ['the 400 to an illegal request', { ...given(400, '', withoutBody), send: head('GET /health HTTP/1.1') }],
      ] as const).map(([what, step]) => row(`${what} has Content-Length: 0 and no Content-Type`, step)),
    ],
    '10: type and title of a 400': [
      row(`type is "${BAD_REQUEST}"`, invalid(memberIs('type', BAD_REQUEST))),
      row('title is "One or more validation errors occurred."', invalid(memberIs('title', 'One or more validation errors occurred.'))),
    ],
    '11: type of a 500': [
      { ...row('type of a 500 is absent', given(500, `GET ${GREETINGS}`, [memberIs('type', undefined)])), needs: 'an exception' },
    ],
    '12: the precision of generatedAt': [
      row('generatedAt has milliseconds', world(matches('generatedAt', 'three digits after a dot', /\.\d{3}[+-]/, '2026-11-20T10:15:30Z'))),
    ],
    '13: caching and sniffing': [
      ...[fieldIs('Cache-Control', 'no-store'), fieldIs('X-Content-Type-Options', 'nosniff')].map((expected) =>
        row(`every reply with a body has ${expected.text}`, ...[health, world, invalid, ...described].map((step) => step(expected)))),
      ...[fieldIs('Server', undefined), fieldIs('X-Powered-By', undefined)].map((expected) =>
        row(`every reply has ${expected.text}`, ...[health, invalid, notFound, notAllowed].map((step) => step(expected)))),
    ],
    '16: the bodies have the members that the description lists': [
      row('a greeting has message and generatedAt only', world(members('', 'message', 'generatedAt'))),
      row('a 400 has type, title, status, errors and traceId only', invalid(members('', 'type', 'title', 'status', 'errors', 'traceId'))),
      row('errors has name only', invalid(members('errors', 'name'))),
    ],
    ...(environment === 'development' && {
      '16: the description': [
        row('the description is OpenAPI 3.1', description(matches('openapi', 'a version 3.1', /^3\.1\.\d+$/, undefined, '3.0.4'))),
        row('the description has the title and the version', description(memberIs('info', INFO))),
        row('the description names no servers', description(memberIs('servers', undefined))),
        row('the description says that no authentication is needed', description(memberIs('security', []))),
      ],
    }),
  };
}

const EMOJI = '%F0%9F%98%80';
const SCRIPT = '<script>alert(1)</script>';
const BAD_REQUEST = 'https://tools.ietf.org/html/rfc9110#section-15.5.1';
const withoutBody = [fieldIs('Content-Length', '0'), fieldIs('Content-Type', undefined), noBody];
const UNTRACED = [/traceparent/gi, 'x'] as const;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}`;

function inTrace(flags: '00' | '01'): Expectation {
  const pattern = new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-${flags}$`);
  const span = '1'.repeat(16);
  const otherFlags = flags === '00' ? '01' : '00';
  const wrong = [undefined, `${PARENT}-${flags}`, `00-${'4b'.repeat(16)}-${span}-${flags}`, `00-${TRACE}-${span}-${otherFlags}`];
  return matches('traceId', `the caller's trace id and flags ${flags}, with another span id`, pattern, ...wrong);
}

const isOfNewTrace = (value: unknown) => !String(value).toLowerCase().includes(TRACE);
const inNewTrace = member('traceId', "not in the caller's trace", isOfNewTrace, `${PARENT}-00`, `${PARENT.toUpperCase()}-00`);
