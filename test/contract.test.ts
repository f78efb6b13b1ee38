// Each row of the contract against the service in this process, over real sockets. A second service has a clock that throws. Of each
// reply every byte is compared, and each row is seen to fail: it must find each mistake of its expectations, and a server that reads its
// requests wrongly. The command is in tools/contract/main.test.ts. SERVER=node holds each row as well, except those that are listed.
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { document } from '../src/api/description.ts';
import { REFUSALS } from '../src/http/refusals.ts';
import { field, repliesIn, type Reply } from './support/replies.ts';
import { isObject } from './support/schema.ts';
import { startService } from './support/service.ts';
import { decisions } from './tools/contract/decisions.ts';
import { DESCRIBED_PATHS } from './tools/contract/endpoints.ts';
import { json } from './tools/contract/expectation.ts';
import { descriptionMisfits } from './tools/contract/openapi.ts';
import { describeDifference } from './tools/contract/report.ts';
import { hold, inWords, type Change, type Row, type Seen } from './tools/contract/row.ts';
import { EXCEPTION_TEXT, specification } from './tools/contract/specification.ts';
import { NODE_DIFFERS, NODE_MAY_DIFFER } from './tools/contract/node-differs.ts';
import { isHead, talker, type Talk, type Talker } from './tools/contract/talk.ts';
import { wire } from './tools/contract/wire.ts';

// How a wrong server reads requests, and the rows of the wire that are there because of it. The other parts have theirs in their rows.
const MISREAD: readonly (readonly [says: RegExp, ...Change])[] = [
  [/two Hosts/, /(?<=\r\nhost: [^]*?)\r\nhost: [^\r]*/gi, ''],
  [/^LF after (?:a size|a trailer|the trailers)$|bare line feed/, /\r?\n/g, '\r\n'],
  [/both framings/, /Content-Length: .*\r\n/g, ''],
  [/user information$/, 'http://user@', 'http://'],
  [/fragment/, /(?<=^\S+ [^\s#]*)#\S*/g, ''],
  [/with https, where no TLS is/, 'https://', 'http://'],
  [/^Upgrade/, '\r\nUpgrade:', '\r\nConnection: close$&'],
];

for (const part of [specification, decisions, wire]) {
  for (const environment of part === wire ? ['production'] as const : ['production', 'development'] as const) {
    test(`the ${part.name}, in ${environment}`, (t) => walk(t, part, environment));
  }
}

test('SERVER=node differs in the rows that are listed, and in no others', async (t) => {
  const listed = new Set(NODE_DIFFERS);
  for (const environment of ['production', 'development'] as const) {
    const options = { kind: 'node', development: environment === 'development' } as const;
    const { port, reported } = await startService(t, { ...options, now: Date.now });
    const failing = await startService(t, { ...options, now: () => { throw new Error(EXCEPTION_TEXT); } });
    const subject = { authority: 'localhost', isSecure: false, environment };

    async function check(row: Row): Promise<void> {
      const mayDiffer = NODE_DIFFERS.has(row.says) || NODE_MAY_DIFFER.has(row.says);
      const talk = talkerTo(row.needs === 'an exception' ? failing.port : port, mayDiffer ? 500 : 30_000);
      const result = await hold(row, async (bytes, enough) => {
        const talked = await talk(bytes, enough);
        if (!mayDiffer) assert.deepEqual(talked.replies, talked.replies.map((reply, i) => exactly(reply, i === talked.replies.length - 1)));
        return talked;
      }, []);
      if (!mayDiffer) holds(result);
      else if (result !== 'holds') listed.delete(row.says);
      else assert.ok(!NODE_DIFFERS.has(row.says), `it holds: ${row.says}`);
    }

    for (const part of options.development ? [specification, decisions] : [specification, decisions, wire]) {
      for (const rows of Object.values(part(subject))) await Promise.all(rows.map(check));
    }
    assert.deepEqual(reported, []);
  }
  assert.deepEqual(Array.from(listed), [], 'no rows have these names');
});

test('a server that reads illegal requests wrongly is found by the rows that are there because of it', async (t) => {
  const { port } = await startService(t);
  const all = Object.values(wire({ authority: 'localhost', isSecure: false, environment: 'production' })).flat();
  for (const [says, ...change] of MISREAD) {
    const rows = all.filter((row) => says.test(row.says));
    assert.ok(rows.length > 0, `there is no row ${says}`);
    for (const row of rows) await finds(row, talkerTo(port), change);
  }
});

/** Tests each row of a part, in Development or Production, as a subtest of `t`. */
async function walk(t: TestContext, part: typeof wire, environment: 'development' | 'production'): Promise<void> {
  const development = environment === 'development';
  const { port, reported, refusals } = await startService(t, { development, now: Date.now });
  const failing = await startService(t, { development, now: () => { throw new Error(EXCEPTION_TEXT); } });
  const seen: Seen[] = [];
  const sections = part({ authority: 'localhost', isSecure: false, environment });

  async function check(row: Row): Promise<void> {
    const talk = talkerTo(row.needs === 'an exception' ? failing.port : port);
    const refused = refusals.length;
    const talks: Talk[] = [];
    const steps = row.steps.map(({ given: _, ...step }) => ({ ...step, closes: true })); // each status is right, and each connection ends
    holds(await hold({ ...row, steps }, async (bytes, enough) => {
      const talked = await talk(bytes, enough);
      const { replies, rest, end } = talked;
      assert.deepEqual([replies, rest.length, end], [replies.map((reply, i) => exactly(reply, i === replies.length - 1)), 0, 'closed']);
      talks.push(talked);
      return talked;
    }, seen));
    assert.deepEqual(reported, [], 'no request of a client causes an error in the service');
    const empty = talks.flatMap(({ replies }) => replies).filter(({ status, body }) => body === '' && ![404, 405].includes(status));
    if (row.needs !== 'an exception') {
      const statuses = refusals.slice(refused).map((reason) => REFUSALS[reason].status);
      assert.deepEqual(statuses, empty.map(({ status }) => status), 'exactly the illegal requests are counted as refused');
    }
    const wrongs = Array.from(wrongTalks(row, talks));
    for (const [wrong, text] of wrongs) {
      const rest = [...wrong];
      const found = await hold(row, async () => rest.shift() ?? assert.fail('one talk for each step'), [...seen]);
      assert.ok(typeof found === 'object' && found.expected.includes(text), `does not find a mistake: ${text}`);
    }
    assert.ok(wrongs.length > 0, 'finds no mistake');
    if (row.misread !== undefined) await finds(row, talk, row.misread);
    if (part !== wire) holds(await hold(row, inOtherForms(talk), [...seen])); // which any other server may do
  }

  for (const [heading, rows] of Object.entries(sections)) {
    await t.test(heading, async (section) => {
      for (const row of rows) await section.test(row.says, () => check(row));
    });
  }

  // Other servers may leave something out of their description. This one may not.
  for (const path of development && seen.length > 0 ? DESCRIBED_PATHS : []) {
    await t.test(`each reply to GET ${path} is described, with each of its members`, () => {
      assert.deepEqual(descriptionMisfits(document, path, seen, true), []);
    });
  }
}

function talkerTo(port: number, patienceMs = 30_000): Talker {
  const talk = talker(() => connect({ port, host: '127.0.0.1' }), patienceMs);
  return (bytes) => talk(bytes, Infinity);
}

// Replies that differ from those of this service wherever they may.
function inOtherForms(talk: Talker): Talker {
  return async (bytes, enough) => {
    const talked = await talk(bytes, enough);
    const replied = Buffer.from(inOtherForm(talked.bytes.toString('latin1')), 'latin1');
    return { ...talked, ...repliesIn(replied, { ended: true, toHead: isHead(bytes) }), bytes: replied };
  };
}

function holds(result: Awaited<ReturnType<typeof hold>>): void {
  if (result !== 'holds') assert.fail(result === 'not checked' ? result : describeDifference(result));
}

async function finds(row: Row, talk: Talker, misread: Change): Promise<void> {
  const result = await hold(row, (bytes, enough) => talk(bytes.replaceAll(...misread), enough), []);
  assert.equal(typeof result, 'object', `"${row.says}" does not find a server that reads ${misread.join(' as ')}`);
}

/** Each way in which the talks of a row can be wrong, with the words in which the row must say so. */
function* wrongTalks({ steps, review }: Row, talks: readonly Talk[]): Generator<readonly [talks: readonly Talk[], text: string]> {
  for (const [i, { replies, given, closes }] of steps.entries()) {
    const talk = talks[i] ?? assert.fail('one talk for each step');
    const last = replies.length - 1;
    const wrong = (change: Partial<Talk>, text: string) => [talks.with(i, { ...talk, ...change }), text] as const;
    const edited = (edit: (reply: Reply) => Reply, j: number) => talk.replies.map((reply, k) => (k === j ? edit(reply) : reply));
    for (const [j, expectations] of replies.entries()) {
      for (const one of expectations) {
        for (const edit of one.mistakes) yield wrong({ replies: edited(edit, j) }, inWords([one], j, replies.length));
      }
    }
    if (given === undefined) yield wrong({ replies: talk.replies.slice(0, last) }, inWords(replies[last] ?? [], last, replies.length));
    if (closes !== true) continue;
    yield wrong({ end: 'late' }, 'the connection is closed');
    yield wrong({ replies: talk.replies.concat(talk.replies) }, 'nothing after the last reply');
    yield wrong({ rest: talk.bytes }, 'nothing after the last reply');
  }
  if (review === undefined) return;
  const edit = (reply: Reply) => ({ ...reply, body: reply.body.replaceAll(...review.mistake) });
  yield [talks.map((talk) => ({ ...talk, replies: talk.replies.map(edit) })), review.text];
}

const TYPES = ['text/plain', 'application/json', 'application/json; charset=utf-8', 'application/problem+json'];

/** What a reply of this service with this status and content must be, with its field lines in order. */
function exactly(reply: Reply, isLast: boolean): Reply {
  const { status, body } = reply;
  const type = TYPES.find((known) => known === field(reply, 'Content-Type'));
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const fields = body !== '' ? [`Content-Type: ${type}`, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff']
    : status === 405 ? ['Allow: GET'] : [];
  const headers = [...fields, length, 'Date: now', `Connection: ${isLast ? 'close' : 'keep-alive'}`];
  return { statusLine: `HTTP/1.1 ${status} ${STATUS_CODES[status]}`, status, headers, body: exactJson(json(reply)) ?? body };
}

// In this order, and without white space.
function exactJson(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { message, generatedAt, type, title, status, errors, detail, instance, traceId, ...others } = value;
  if (message !== undefined) return JSON.stringify({ message, generatedAt });
  return JSON.stringify({ type, title, status, errors, detail, instance, traceId, ...others });
}

/** The bytes of replies, where the first one differs wherever the specification and the decisions say nothing. */
function inOtherForm(bytes: string): string {
  const { replies: [first] } = repliesIn(Buffer.from(bytes, 'latin1'));
  if (first === undefined || first.body === '') {
    return bytes.replace(/(?<=^HTTP\/1\.1 \d{3}) .*/, ' Whatever').replace('Content-Length:', 'content-LENGTH:\t');
  }
  const isJson = field(first, 'content-type')?.includes('json') === true;
  const content = Buffer.from(isJson ? JSON.stringify(inOtherWords(json(first)), null, 2) : first.body).toString('latin1');
  const fields = first.headers.filter((line) => !line.startsWith('Content-Length:'))
    .map((line) => line.replace(/^[^:]+: /, (name) => name.toLowerCase().trim()).replace('; charset', ';  Charset')).reverse();
  const framed = ['Transfer-Encoding: chunked', '', `${content.length.toString(16)};a=b`, content, '0', '', ''];
  return [`HTTP/1.1 ${first.status}`, 'x-other: field', ...fields, ...framed].join('\r\n');
}

// The members of each object in the other order, another name for a component, and other words where only people read them.
function inOtherWords(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => inOtherWords(one, `${name}[]`));
  if (isObject(value)) {
    const members = Object.entries(value).reverse();
    return Object.fromEntries(members.map(([key, inner]) => [key.replace('GreetingResponse', 'a/b'), inOtherWords(inner, key)]));
  }
  if (name === '$ref') return String(value).replace('GreetingResponse', 'a~1b');
  return ['description', 'summary', 'name[]'].includes(name) ? 'Whatever.' : value;
}
