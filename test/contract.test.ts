// Every row of the specification and of the decisions, against the running server, over real sockets.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NOW, startService } from './support/service.ts';
import { exchange, request, requestBytes, type WireReply } from './support/wire.ts';

const CLOSING = ['Date: now', 'Connection: close'];
const TRACE_ID = /"traceId":"(00-[0-9a-f]{32}-[0-9a-f]{16}-0[01])"/;

function contentHeaders(type: string, body: string): string[] {
  const length = Buffer.byteLength(body);
  return [`Content-Type: ${type}`, `Content-Length: ${length}`, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', ...CLOSING];
}

function replyWith(statusLine: string, type: string, body: string): WireReply {
  return { statusLine, status: Number(statusLine.slice(9, 12)), headers: contentHeaders(type, body), body };
}

function greetingReply(name: string): WireReply {
  const body = JSON.stringify({ message: `Hello, ${name}!`, generatedAt: '2026-11-20T10:15:30.123+00:00' });
  return replyWith('HTTP/1.1 200 OK', 'application/json; charset=utf-8', body);
}

/** The 400 as it must be, with the trace id that `reply` has, which is different every time. */
function validationReply(reply: WireReply, error: string): WireReply {
  const body = JSON.stringify({
    type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    errors: { name: [error] },
    traceId: traceIdOf(reply),
  });
  return replyWith('HTTP/1.1 400 Bad Request', 'application/problem+json', body);
}

function traceIdOf(reply: WireReply): string {
  return TRACE_ID.exec(reply.body)?.[1] ?? assert.fail(`No trace id in ${reply.body}`);
}

const notFoundReply: WireReply = { statusLine: 'HTTP/1.1 404 Not Found', status: 404, headers: ['Content-Length: 0', ...CLOSING], body: '' };
const notAllowedReply: WireReply = {
  statusLine: 'HTTP/1.1 405 Method Not Allowed',
  status: 405,
  headers: ['Allow: GET', 'Content-Length: 0', ...CLOSING],
  body: '',
};

const TOO_SHORT = 'The name is empty: 1 to 80 characters are accepted.';
const TOO_LONG = 'The name has 81 characters: 1 to 80 are accepted.';
const ONLY_SPACE = 'The name is only white space: at least one other character is needed.';

for (const development of [false, true]) {
  describe(development ? 'in Development' : 'in Production', () => {
    test('GET /health is the word Healthy', async (t) => {
      const { port } = await startService(t, { development });
      assert.deepEqual(await request(port, 'GET', '/health'), replyWith('HTTP/1.1 200 OK', 'text/plain', 'Healthy'));
    });

    test('GET /health ignores a query', async (t) => {
      const { port } = await startService(t, { development });
      assert.deepEqual(await request(port, 'GET', '/health?name='), replyWith('HTTP/1.1 200 OK', 'text/plain', 'Healthy'));
    });

    const greeted: readonly (readonly [what: string, query: string, name: string])[] = [
      ['no query greets the world', '', 'World'],
      ['an empty query greets the world', '?', 'World'],
      ['a query without a name greets the world', '?other=Ada', 'World'],
      ['a name is greeted', '?name=Ada', 'Ada'],
      ['a name of one character is greeted', '?name=A', 'A'],
      ['a name of 80 characters is greeted', `?name=${'a'.repeat(80)}`, 'a'.repeat(80)],
      ['a name of 80 emoji, two UTF-16 units each, is greeted', `?name=${encodeURIComponent('😀'.repeat(80))}`, '😀'.repeat(80)],
      ['a name of 80 characters is counted with its white space, greeted without', `?name=+${'a'.repeat(78)}+`, 'a'.repeat(78)],
      ['spaces around a name are trimmed, inside it they stay', '?name=%20%20Ada%20%20Lovelace%20', 'Ada  Lovelace'],
      ['a plus is a space', '?name=+Ada+Lovelace+', 'Ada Lovelace'],
      ['tabs, line feeds and no-break spaces are white space', '?name=%09%0A%C2%A0%E3%80%80Ada%C2%A0%0D%09', 'Ada'],
      ['NUL is a character like any other', '?name=%00', '\0'],
      ['quotes and backslashes are escaped', '?name=%22%5C%22%27', '"\\"\''],
      ['control characters are escaped', '?name=a%0D%0Ab%1Bc', 'a\r\nb\u001bc'],
      ['markup is text', '?name=<script>alert(1)</script>', '<script>alert(1)</script>'],
      ['non-ASCII goes out as UTF-8', '?name=J%C3%BCrgen%20%E6%9D%8E', 'Jürgen 李'],
      ['invalid UTF-8 becomes U+FFFD', '?name=%FF%C3', '\uFFFD\uFFFD'],
      ['a malformed percent stays as it is', '?name=%zz%', '%zz%'],
      ['the first of several names counts', '?name=Ada&name=Grace&name=', 'Ada'],
      ['keys are case-sensitive', '?NAME=&Name=&name=Ada', 'Ada'],
      ['a name in another case is no name', '?NAME=', 'World'],
      ['an encoded key is the key', '?n%61me=Ada', 'Ada'],
      ['a second question mark belongs to the key', '??name=Ada', 'World'],
      ['an equals sign belongs to the value', '?name=a=b', 'a=b'],
      ['a semicolon does not separate', '?name=a;name=b', 'a;name=b'],
      ['a key of the prototype is no name', '?__proto__=Ada&constructor=Ada', 'World'],
    ];
    for (const [what, query, name] of greeted) {
      test(`GET /api/greetings: ${what}`, async (t) => {
        const { port } = await startService(t, { development });
        assert.deepEqual(await request(port, 'GET', `/api/greetings${query}`), greetingReply(name));
      });
    }

    const refused: readonly (readonly [what: string, query: string, error: string])[] = [
      ['an empty name', '?name=', TOO_SHORT],
      ['a name without an equals sign', '?name', TOO_SHORT],
      ['an empty name before another', '?name=&name=Ada', TOO_SHORT],
      ['a name of 81 characters', `?name=${'a'.repeat(81)}`, TOO_LONG],
      ['a name of 81 emoji', `?name=${encodeURIComponent('😀'.repeat(81))}`, TOO_LONG],
      ['a name padded to 82 characters', `?name=+${'a'.repeat(80)}+`, 'The name has 82 characters: 1 to 80 are accepted.'],
      ['a name of 81 spaces', `?name=${'+'.repeat(81)}`, TOO_LONG],
      ['a name of a space', '?name=+', ONLY_SPACE],
      ['a name of 80 spaces', `?name=${'%20'.repeat(80)}`, ONLY_SPACE],
      ['a name of tabs and no-break spaces', '?name=%09%C2%A0', ONLY_SPACE],
    ];
    for (const [what, query, error] of refused) {
      test(`GET /api/greetings refuses ${what}`, async (t) => {
        const { port } = await startService(t, { development });
        const reply = await request(port, 'GET', `/api/greetings${query}`);
        assert.deepEqual(reply, validationReply(reply, error));
      });
    }

    test('the trace id differs on every request', async (t) => {
      const { port } = await startService(t, { development });
      const ids = new Set<string>();
      for (let i = 0; i < 300; i++) ids.add(traceIdOf(await request(port, 'GET', '/api/greetings?name=')));
      assert.equal(ids.size, 300);
    });

    const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    test('the trace id hands down the trace and the sampled flag of a valid traceparent', async (t) => {
      const { port } = await startService(t, { development });
      const id = traceIdOf(await request(port, 'GET', '/api/greetings?name=', [`Traceparent: ${parent}`]));
      assert.match(id, /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
      assert.notEqual(id.slice(36, 52), '00f067aa0ba902b7');
    });

    test('two traceparents are none', async (t) => {
      const { port } = await startService(t, { development });
      const id = traceIdOf(await request(port, 'GET', '/api/greetings?name=', [`traceparent: ${parent}`, `traceparent: ${parent}`]));
      assert.doesNotMatch(id, /4bf92f3577b34da6a3ce929d0e0e4736/);
    });

    const unmapped = [
      '/', '/nope', '/health/', '/Health', '/HEALTH', '//health', '/health//', '/./health', '/api/../health', '/%68ealth',
      '/health%00', '/health%2F', '/health;a', '/api/greetings/', '/API/greetings', '/api/greetings%20', '/api%2Fgreetings',
      '/api', '/openapi/v1.JSON', '/openapi/v1', '/openapi/v2.json', '/__proto__', '/constructor', '/toString', '/favicon.ico',
    ];
    for (const path of unmapped) {
      test(`GET ${path} is 404 without a body`, async (t) => {
        const { port } = await startService(t, { development });
        assert.deepEqual(await request(port, 'GET', path), notFoundReply);
        assert.deepEqual(await request(port, 'POST', `${path}?name=Ada`), notFoundReply);
      });
    }

    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY']) {
      test(`${method} on a GET-only endpoint is 405 with Allow: GET and no body`, async (t) => {
        const { port } = await startService(t, { development });
        assert.deepEqual(await request(port, method, '/health'), notAllowedReply);
        assert.deepEqual(await request(port, method, '/api/greetings?name='), notAllowedReply);
        const expected = development ? notAllowedReply : notFoundReply;
        assert.deepEqual(await request(port, method, '/openapi/v1.json'), expected);
      });
    }

    test('a connection is kept open, and requests on it are answered in order', async (t) => {
      const { port } = await startService(t, { development });
      const { replies, ended } = await exchange(
        port,
        requestBytes('GET', '/health', []) + requestBytes('GET', '/nope', []) + requestBytes('GET', '/api/greetings'),
      );
      assert.deepEqual(replies.map((reply) => reply.status), [200, 404, 200]);
      assert.deepEqual(replies[0]?.headers.slice(-2), ['Date: now', 'Connection: keep-alive']);
      assert.ok(ended);
    });

    test('an exception becomes the 500 problem, and only the log hears why', async (t) => {
      const failure = new Error('the clock stopped');
      const { port, reported } = await startService(t, { development, now: () => { throw failure; } });
      const reply = await request(port, 'GET', '/api/greetings?name=Ada', [`traceparent: ${parent}`]);
      const body = JSON.stringify({
        title: 'An unexpected error occurred.',
        status: 500,
        detail: 'Contact support if the problem persists.',
        instance: '/api/greetings',
      });
      assert.deepEqual(reply, replyWith('HTTP/1.1 500 Internal Server Error', 'application/problem+json', body));
      assert.equal(reported.length, 1);
      assert.equal(reported[0]?.error, failure);
      assert.match(reported[0]?.traceId ?? '', /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
      assert.equal((await request(port, 'GET', '/health')).status, 200, 'and the service goes on');
    });

    test('a thrown value that is no Error is handled alike', async (t) => {
      const { port, reported } = await startService(t, { development, now: () => { throw undefined; } });
      assert.equal((await request(port, 'GET', '/api/greetings')).status, 500);
      assert.equal(reported[0]?.error, undefined);
    });

    test('a validation failure asks no clock and is no error', async (t) => {
      const { port, reported } = await startService(t, { development, now: () => assert.fail('the clock was read') });
      assert.equal((await request(port, 'GET', '/api/greetings?name=')).status, 400);
      assert.deepEqual(reported, []);
    });
  });
}

test('generatedAt is the clock at the time of the request, in milliseconds, as UTC', async (t) => {
  let now = NOW;
  const { port } = await startService(t, { now: () => now });
  for (const [time, text] of [[NOW, '2026-11-20T10:15:30.123+00:00'], [0, '1970-01-01T00:00:00.000+00:00'], [NOW, '2026-11-20T10:15:30.123+00:00']] as const) {
    now = time;
    const { body } = await request(port, 'GET', '/api/greetings');
    assert.equal(body, JSON.stringify({ message: 'Hello, World!', generatedAt: text }));
  }
});

test('outside Development the description does not exist', async (t) => {
  const { port } = await startService(t, { development: false });
  assert.deepEqual(await request(port, 'GET', '/openapi/v1.json'), notFoundReply);
});
