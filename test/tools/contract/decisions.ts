// The rows of the decisions: what this project does where the specification says nothing. Another correct implementation may differ.
// Decisions that cannot be seen in a reply (configuration, log, exit codes) are tested elsewhere.
import { head } from '../../support/corpus/entry.ts';
import { DESCRIPTION, GREETINGS, INFO, MAX_NAME_LENGTH as MAX } from './endpoints.ts';
import { body, fieldIs, matches, memberIs, members, status, type Expectation } from './expectation.ts';
import { asking, row, type Sections, type Subject } from './row.ts';

const NOT_MAPPED = [
  '/health/', '/Health', '/HEALTH', '//health', '/health//', '/./health', '/api/../health', '/%68ealth', '/health%00', '/health%2F',
  '/health;a', '/api/greetings/', '/API/greetings', '/api/greetings%20', '/api%2Fgreetings', '/openapi/v1.JSON', '/openapi/v1',
  '/__proto__', '/constructor', '/toString',
];
const HEALTH = 'GET /health';
const WORLD = `GET ${GREETINGS}`;
const INVALID = `GET ${GREETINGS}?name=`;
const NOT_ALLOWED = 'POST /health';

const EMOJI = '%F0%9F%98%80';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}`;

export function decisions(subject: Subject): Sections {
  const { authority, environment } = subject;
  const { ask, askUnmapped, greeted, refused } = asking(subject);
  const traced = (says: string, expected: Expectation, ...fields: readonly string[]) => row(says, ask(400, INVALID, [expected], ...fields));

  return {
    '2: paths match byte for byte': NOT_MAPPED.map((path) => row(`${path} is 404`, ...askUnmapped(`${path}?name=Ada`))),
    '3: which name': [
      greeted('a plus sign is decoded as a space', '?name=+Ada+Lovelace+', 'Ada Lovelace'),
      greeted('the first of several names is used', '?name=Ada&name=Grace&name=', 'Ada'),
      refused('the first of several names is used, also when it is empty', '?name=&name=Ada'),
      greeted('keys are case-sensitive', '?NAME=&Name=&name=Ada', 'Ada'),
      greeted('an encoded key is the key', '?n%61me=Ada', 'Ada'),
      greeted('a second question mark belongs to the key', '??name=Ada', 'World'),
      greeted('an equals sign belongs to the value', '?name=a=b', 'a=b'),
      greeted('a semicolon does not separate', '?name=a;name=b', 'a;name=b'),
      greeted('keys of the prototype are ignored', '?__proto__=Ada&constructor=Ada', 'World'),
      greeted('invalid UTF-8 becomes U+FFFD', '?name=%FF%C3', '\uFFFD\uFFFD'),
      greeted('a percent sign without two hex digits stays unchanged', '?name=%zz%2z+a%2+%', '%zz%2z a%2 %'),
      greeted('what browsers send without encoding stays unchanged', '?name=<script>alert(1)</script>', '<script>alert(1)</script>'),
      greeted('a backslash is a character like any other (WHATWG URL Standard)', '?name=a\\b', 'a\\b'),
      row('/health ignores a query', ask(200, `${HEALTH}?name=`)),
    ],
    '4: a character is a code point, counted before trimming': [
      greeted(`${MAX} emoji of two UTF-16 units are ${MAX} characters`, `?name=${EMOJI.repeat(MAX)}`, '😀'.repeat(MAX)),
      refused(`${MAX + 1} emoji are too many`, `?name=${EMOJI.repeat(MAX + 1)}`),
      refused('a name that is too long with the white space around it is too long', `?name=+${'a'.repeat(MAX)}`),
      greeted('NUL is a character like any other', '?name=%00', '\0'),
      greeted('tabs, line feeds, no-break and wide spaces are white space', '?name=%09%0A%C2%A0%E3%80%80Ada%C2%A0%0D%09', 'Ada'),
    ],
    '5: a name of white space only is refused': [
      refused('a name of one space', '?name=%20'),
      refused('a name of a tab and a no-break space', '?name=%09%C2%A0'),
    ],
    '6: a name without an equals sign is empty': [refused('?name is refused', '?name')],
    '7: traceId is a traceparent (W3C Trace Context)': [
      traced('traceId has the form of a traceparent', inNewTrace),
      traced('traceId has the trace id and the sampled flag of a valid traceparent', inTrace('01'), `traceparent: ${PARENT}-01`),
      traced('traceId is not sampled when the traceparent is not', inTrace('00'), `Traceparent: ${PARENT}-00`),
      traced('of a later version the first four fields are used', inTrace('01'), `traceparent: cc${PARENT.slice(2)}-01-more`),
      traced('of the flags only the sampled flag is used', inTrace('01'), `traceparent: ${PARENT}-ff`),
      traced('two traceparents are ignored', inNewTrace, `traceparent: ${PARENT}-01`, `traceparent: ${PARENT}-01`),
      ...Object.entries({
        'with upper-case digits': `${PARENT.toUpperCase()}-01`, 'with more after it': `${PARENT}-01-more`, 'without flags': PARENT,
        'of version ff': `ff${PARENT.slice(2)}-01`, 'with a trace id of zeros': `00-${'0'.repeat(32)}-${SPAN}-01`,
        'with a span id of zeros': `00-${TRACE}-${'0'.repeat(16)}-01`,
      }).map(([what, value]) => traced(`a traceparent ${what} is ignored`, inNewTrace, `traceparent: ${value}`)),
    ],
    '8: any other method is 405 on a mapped path and 404 on any other': [
      row('a 405 has Allow: GET', ...[NOT_ALLOWED, `OPTIONS ${GREETINGS}`].map((asked) => ask(405, asked, [fieldIs('Allow', 'GET')]))),
      ...['PROPFIND', 'QUERY', 'SEARCH', 'BREW', 'get'].map((method) => row(
        `${method} is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive`,
        ask(405, `${method} /health`), ask(404, `${method} /nope`),
      )),
      row('CONNECT is 501, and ends the connection',
        { send: head('CONNECT a.example:80 HTTP/1.1', `Host: ${authority}`), replies: [[status(501)]], closes: true }),
    ],
    '9: a reply without a body says so': [
      row('a 404, a 405 and the 400 to an illegal request have Content-Length: 0 and no Content-Type',
        ask(404, 'GET /nope', empty), ask(405, NOT_ALLOWED, empty),
        { send: head('GET /health HTTP/1.1'), replies: [[status(400), ...empty]] }),
    ],
    '10: type and title of a 400': [
      row('they are those of RFC 9110, 15.5.1, and of validation errors', ask(400, INVALID, [
        memberIs('type', 'https://tools.ietf.org/html/rfc9110#section-15.5.1'),
        memberIs('title', 'One or more validation errors occurred.'),
      ])),
    ],
    '11: type of a 500': [{ ...row('type of a 500 is absent', ask(500, WORLD, [memberIs('type', undefined)])), needs: 'an exception' }],
    '12: the precision of generatedAt': [
      row('it has milliseconds', ask(200, WORLD, [matches('generatedAt', 'three digits after a dot', /\.\d{3}[+-]/, '10:15:30+00:00')])),
    ],
    '13: caching and sniffing': [
      row('a reply with a body is not to be stored or sniffed',
        ask(200, HEALTH, noStore), ask(200, WORLD, noStore), ask(400, INVALID, noStore)),
      row('no reply names the software', ask(200, HEALTH, noNames), ask(400, INVALID, noNames), ask(405, NOT_ALLOWED, noNames)),
    ],
    '16: the bodies have the members that the description lists': [
      row('a greeting has message and generatedAt only', ask(200, WORLD, [members('', 'message', 'generatedAt')])),
      row('a 400 has type, title, status, errors and traceId only, and errors has name only', ask(400, INVALID, [
        members('', 'type', 'title', 'status', 'errors', 'traceId'), members('errors', 'name'),
      ])),
    ],
    ...(environment === 'development' && {
      '16: the description': [
        row('it is OpenAPI 3.1 with title and version, and names no servers and no authentication', ask(200, `GET ${DESCRIPTION}`, [
          matches('openapi', 'a version 3.1', /^3\.1\.\d+$/, undefined, '3.0.4'), memberIs('info', INFO),
          memberIs('servers', undefined), memberIs('security', []), ...noStore,
        ])),
      ],
    }),
  };
}

const empty = [fieldIs('Content-Length', '0'), fieldIs('Content-Type', undefined), body('')];
const noStore = [fieldIs('Cache-Control', 'no-store'), fieldIs('X-Content-Type-Options', 'nosniff')];
const noNames = [fieldIs('Server', undefined), fieldIs('X-Powered-By', undefined)];

const traceId = (text: string, trace: string, flags: string, ...wrong: readonly string[]) =>
  matches('traceId', text, new RegExp(`^00-${trace}-(?!${SPAN}|0{16})[0-9a-f]{16}-${flags}$`), undefined, crypto.randomUUID(), ...wrong);

const inTrace = (flags: '00' | '01') => traceId(`the caller's trace id and flags ${flags}, with another span id`, TRACE, flags,
  `${PARENT}-${flags}`, `00-${'4b'.repeat(16)}-${'1'.repeat(16)}-${flags}`, `00-${TRACE}-${'1'.repeat(16)}-${flags}1`);

const inNewTrace = traceId("a traceparent, not in the caller's trace", `(?!${TRACE}|0{32})[0-9a-f]{32}`, '0[01]',
  `00-${TRACE}-${'1'.repeat(16)}-00`, `00-${'0'.repeat(32)}-${'1'.repeat(16)}-00`);
