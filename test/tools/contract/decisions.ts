// The rows of the decisions: what this project does where the specification says nothing. Other implementations may
// differ. Decisions that no reply shows are tested elsewhere, and those about the wire are in wire.ts.
import { decided } from './api.ts';
import { asking, head, row, WITH_BODY, words, type Sections, type Subject } from './row.ts';

const NOT_MAPPED = words(`
  /health/ /Health //health /./health /api/../health /%68ealth /health%00 /health;a /health#a /health\\"[|%2z
  /openapi/v1.JSON /__proto__ /constructor`);
const EMPTY = { fields: { 'Content-Length': '0', 'Content-Type': undefined, 'Cache-Control': 'no-store' }, body: '' };

export function decisions(subject: Subject): Sections {
  const { authority } = subject;
  const { ask, unmapped } = asking(authority);
  const connect = row('CONNECT: the end', { send: head('CONNECT a:80 HTTP/1.1', `Host: ${authority}`), replies: [] });

  return {
    '2: paths match byte for byte': NOT_MAPPED.map(unmapped),
    '8: other methods': [
      row('a 405 has Allow: GET', ask('OPTIONS /health', { status: 405, fields: { Allow: 'GET' } })),
      ...words('PROPFIND QUERY SEARCH M-SEARCH').map((method) => row(`${method}: 405 on a mapped path, else 404`,
        ask(`${method} /health`, { status: 405 }), ask(`${method} /nope`, { status: 404 }))),
      ...words("get connect CONNECTS G PRI !#$%&'*+-.^_`|~09azAZ").map((method) =>
        row(`${method} is not known: 400`, ask(`${method} /health`, { status: 400 }))),
      { ...connect, ends: true },
    ],
    '9 and 13: a reply without a body says so, and that it is not to be stored': [
      row('a 404', ask('GET /nope', { status: 404, ...EMPTY })),
      row('a 405', ask('POST /health', { status: 405, ...EMPTY })),
      ...['GET /health HTTP/1.1', 'not HTTP'].map((line) =>
        row('a 400 to an illegal request', { send: head(line), replies: [{ status: 400, ...EMPTY }] })),
    ],
    '13: so does one with a body, which is not to be sniffed, and names no software':
      [row('GET /health', ask('GET /health', WITH_BODY))],
    ...decided(subject),
  };
}
