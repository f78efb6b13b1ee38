// What arrives on a connection, as bytes, and what becomes of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Server } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { emptyReply } from '../../src/http/reply.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { openPair, sendRead } from '../support/clock.ts';
import { portIn, spawnService } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { exchange, exchangeOn, parseReplies, requestBytes, type Exchange } from '../support/wire.ts';

const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
const greetings = requestBytes('GET', '/api/greetings', []);
const statuses = ({ replies }: Exchange) => replies.map((reply) => reply.status);

/** A reply without content that is the last one on its connection. */
function lastReply(statusLine: string, ...fields: readonly string[]): Exchange {
  const headers = [...fields, 'Content-Length: 0', 'Date: now', 'Connection: close'];
  return { replies: [{ statusLine: `HTTP/1.1 ${statusLine}`, status: Number.parseInt(statusLine, 10), headers, body: '' }], ended: true };
}

const notFound = lastReply('404 Not Found');
const badRequest = lastReply('400 Bad Request');

describe('CONNECT (RFC 9110 15.6.2)', { timeout: 20_000 }, () => {
  const connectHead = head('CONNECT a.example:80 HTTP/1.1', 'Host: a.example:80');

  test('gets 501, and its connection is closed: here is no proxy', async (t) => {
    const { port, refusals, records } = await startService(t, { observed: true });
    assert.deepEqual(await exchange(port, connectHead + greetings), lastReply('501 Not Implemented'));
    assert.deepEqual(refusals, [501]);
    assert.deepEqual(records.map(({ method, path, status }) => [method, path, status]), [['CONNECT', 'a.example:80', 501]]);
  });

  test('is answered after the requests before it', async (t) => {
    const { port } = await startService(t);
    assert.deepEqual(statuses(await exchange(port, greetings.repeat(20) + connectHead)), [...Array.from({ length: 20 }, () => 200), 501]);
  });

  test('gets 501 on a listener that redirects, too', async (t) => {
    const { port } = await startService(t, { server: (app) => app.createRedirectServer(8443) });
    assert.deepEqual(await exchange(port, connectHead), lastReply('501 Not Implemented'));
  });

  test('with an illegal target is refused with 400', async (t) => {
    const { port, refusals } = await startService(t);
    assert.deepEqual(await exchange(port, head('CONNECT user:secret@a:80 HTTP/1.1', 'Host: a:80')), badRequest);
    assert.deepEqual(refusals, [400]);
  });
});

test('what the record of a refused request says of its target is a path, never user information or a query', { timeout: 20_000 }, async (t) => {
  const { port, records, refusals } = await startService(t, { observed: true });
  for (const target of ['http://user:secret@a/health?name=Ada', 'HTTP://user:secret@a', 'ftp://user:secret@a/health', 'http://a/health?name=Ada#', 'user:secret@a', '/nope#secret']) {
    for (const method of ['GET', 'CONNECT']) assert.deepEqual(await exchange(port, head(`${method} ${target} HTTP/1.1`, 'Host: a')), badRequest);
  }
  assert.deepEqual([records.length, refusals.length], [12, 12]);
  assert.deepEqual(records.map(({ path = '' }) => path), ['/health', '/health', '/', '', '/health', '/health', '/health', '/health', '', '', '/nope', '/nope']);
  assert.doesNotMatch(JSON.stringify(records), /user|secret|Ada/);
});

test('with --max-http-header-size a head is limited all the same', { timeout: 20_000 }, async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_OPTIONS: '--max-http-header-size=65536', KEEP_ALIVE_TIMEOUT_MS: '2000' });
  const port = portIn(await service.nextLine());
  assert.deepEqual(await exchange(port, head('GET /health HTTP/1.1', 'Host: a', `X: ${'x'.repeat(16_384)}`)), lastReply('431 Request Header Fields Too Large'));
});

describe('with --insecure-http-parser, which is for others', { timeout: 20_000 }, () => {
  test('bare line feeds, NUL and folded lines are refused all the same', async (t) => {
    const service = spawnService(t, { PORT: '0', NODE_OPTIONS: '--insecure-http-parser', KEEP_ALIVE_TIMEOUT_MS: '2000' });
    const port = portIn(await service.nextLine());
    for (const bytes of [
      'GET /health HTTP/1.1\nHost: a\n\n',
      'GET /health HTTP/1.1\r\nHost: a\nX: b\r\n\r\n',
      head('GET /health HTTP/1.1', 'Host: a', 'X: a\0b'),
      head('GET /health HTTP/1.1', 'Host: a', 'X: a', ' b'),
      head('GET /health HTTP/1.1', 'Host: a', 'X: a', '\tb'),
      head('GET /health HTTP/1.1', 'Host : a'),
      head('GET /health HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      `${head('GET /health HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}1\nx\n0\n\n`,
    ]) {
      assert.deepEqual(await exchange(port, bytes), badRequest, JSON.stringify(bytes));
    }
    assert.deepEqual(statuses(await exchange(port, requestBytes('GET', '/health'))), [200], 'and the service goes on');
  });
});

// Each of these is followed by requests that must neither be executed nor recorded.
describe('the last request on a connection', { timeout: 20_000 }, () => {
  const last: readonly (readonly [bytes: string, status: number])[] = [
    [head('GET /health HTTP/1.1'), 400],
    [head('GET /health HTTP/1.1', 'Host: a', 'Host: b'), 400],
    [head('GET /health#a HTTP/1.1', 'Host: a'), 400],
    [head('GET /health HTTP/1.1', 'Host: a', 'Content-Length: 65537'), 413],
    [`${head('GET /health HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}10001\r\n${'x'.repeat(0x10001)}\r\n0\r\n\r\n`, 413],
    [head('GET /health HTTP/1.1', 'Host: a', 'Expect: tea'), 417],
    [head('GET /health HTTP/1.1', 'Host: a', 'Expect: 100-continue'), 200],
    [head('GET /nope HTTP/1.1', 'Host: a', 'Expect: 100-continue', 'Content-Length: 5'), 404],
    [head('GET /health HTTP/1.1', 'Host: a', ...Array.from({ length: 100 }, () => 'X: y')), 431],
    [head('GET /health HTTP/2.0', 'Host: a'), 505],
    [head('GET /health HTTP/1.2', 'Host: a'), 505],
    ['noise\r\n\r\n', 400],
    [head('GET /health HTTP/1.1', 'Host: a', 'Upgrade: x', 'Connection: upgrade'), 200],
    [head('GET /health HTTP/1.1', 'Host: a', 'Upgrade: x', 'Connection: upgrade', 'Content-Length: 5'), 200],
    [`${head('GET /health HTTP/1.1', 'Host: a', 'Upgrade: x', 'Connection: upgrade', 'Transfer-Encoding: chunked')}z\r\n`, 200],
    [head('GET /health HTTP/1.0', 'Host: a'), 200],
    ...[
      ['Connection: close'], ['cONNECTION: cLOSE'], ['Connection: x, Close'], ['Connection: close,x'], ['Connection: keep-alive', 'Connection: close'], ['Connection: close', 'Connection: keep-alive'],
    ].map((fields) => [head('GET /health HTTP/1.1', 'Host: a', ...fields), 200] as const),
  ];
  for (const [bytes, status] of last) {
    test(`is ${JSON.stringify(bytes.slice(0, 90))}: none behind it is answered, executed or recorded`, async (t) => {
      let asked = 0;
      const { port, records, reported } = await startService(t, { observed: true, now: () => ++asked });
      const { replies, ended } = await exchange(port, greetings + bytes + greetings.repeat(5));
      assert.deepEqual(replies.map((reply) => [reply.status, reply.headers.at(-1)]), [[200, 'Connection: keep-alive'], [status, 'Connection: close']]);
      assert.ok(ended);
      assert.equal(asked, 1, 'the clock was read for the request before it only');
      assert.deepEqual(records.map((record) => record.status), [200, status]);
      assert.deepEqual(reported, []);
    });
  }

  for (const [what, bytes] of [
    ['HTTP/1.0 with Connection: keep-alive', head('GET /health HTTP/1.0', 'Connection: keep-alive')],
    ['HTTP/1.0 with keep-alive in a list and in another case', head('GET /health HTTP/1.0', 'Connection: x,\tKeep-Alive')],
    ['an option that only begins with close', head('GET /health HTTP/1.1', 'Host: a', 'Connection: closed')],
    ['an option that only ends with close', head('GET /health HTTP/1.1', 'Host: a', 'Connection: enclose, not-close')],
    ['the option upgrade without a protocol', head('GET /health HTTP/1.1', 'Host: a', 'Connection: upgrade')],
  ] as const) {
    test(`is not one with ${what}`, async (t) => {
      const { port } = await startService(t);
      const { replies } = await exchange(port, bytes + requestBytes('GET', '/nope'));
      assert.deepEqual(replies.map((reply) => [reply.status, reply.headers.at(-1)]), [[200, 'Connection: keep-alive'], [404, 'Connection: close']]);
    });
  }

  // RFC 9112 9.3: close wins.
  for (const bytes of [
    head('GET /health HTTP/1.0', 'Connection: keep-alive, close'),
    ...[['Connection: close\t'], ['Connection:\tclose \t'], ['Connection: x,\tclose\t,y'], ['Connection: x', 'X: y', 'Connection: close\t']].map((fields) =>
      head('GET /health HTTP/1.1', 'Host: a', ...fields)),
    `${head('GET /health HTTP/1.1', 'Host: a', 'Connection: close\t', 'Content-Length: 3')}abc`,
  ]) {
    test(`is ${JSON.stringify(bytes)}, as soon as it is whole`, { timeout: 20_000 }, async (t) => {
      const { port } = await startService(t);
      const socket = connect({ port, host: '127.0.0.1' });
      t.after(() => socket.destroy());
      socket.write(bytes);
      const [reply] = parseReplies((await once(socket, 'data'))[0]);
      assert.deepEqual([reply?.status, reply?.headers.at(-1)], [200, 'Connection: close']);
    });
  }

  test('closes its connection at the end of its content, in two packets or more', async (t) => {
    const pair = await openPair(t, await startService(t));
    await sendRead(pair, head('POST /nope HTTP/1.1', 'Host: a', 'Connection: close', 'Content-Length: 3'));
    pair.client.once('end', () => pair.client.end());
    assert.deepEqual(await exchangeOn(pair.client, `abc${greetings}`), notFound);
  });
});

describe('what is thrown on the way to a reply', { timeout: 20_000 }, () => {
  const failure = new Error('It failed.');
  const fail = () => { throw failure; };

  /** A server with parts of a test's own, and what it reports. */
  async function serve(t: TestContext, { maxConnections = 100, ...reports }: Partial<ServerOptions['reports']> & Partial<Pick<ServerOptions, 'maxConnections'>>, handler = () => emptyReply(204)) {
    const failures: unknown[] = [];
    const { nodeServer, close, closeAll } = createServer({
      handler,
      isAllowed: undefined,
      isDraining: () => false,
      maxConnections,
      keepAliveTimeoutMs: 75_000,
      reports: { failed: (error) => failures.push(error), refused: () => {}, dropped: () => {}, finished: undefined, ...reports },
    });
    const server: Server = nodeServer;
    server.listen({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    t.after(async () => {
      const closed = close();
      closeAll();
      await closed;
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
    return { port: address.port, failures };
  }

  const requests: readonly (readonly [what: string, legal: string, illegal: string])[] = [
    ['a request', head('GET /a HTTP/1.1', 'Host: a', 'Connection: close'), head('GET /a HTTP/1.1')],
    ['a request with content', `${head('PUT /a HTTP/1.1', 'Host: a', 'Connection: close', 'Content-Length: 1')}x`,
      `${head('PUT /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}x\r\n`],
  ];
  const problem = (path: string) =>
    JSON.stringify({ title: 'An unexpected error occurred.', status: 500, detail: 'Contact support if the problem persists.', instance: path });

  for (const [what, legal, illegal] of requests) {
    test(`by the handler becomes a 500 and a report, for ${what}`, async (t) => {
      const { port, failures } = await serve(t, {}, fail);
      const { replies } = await exchange(port, legal);
      assert.deepEqual(replies.map((reply) => [reply.status, reply.body]), [[500, problem('/a')]]);
      assert.deepEqual(failures, [failure]);
    });

    test(`by those who are told of refusals becomes a report, for ${what}`, async (t) => {
      const { port, failures } = await serve(t, { refused: fail });
      assert.deepEqual(await exchange(port, illegal), badRequest);
      assert.deepEqual(failures, [failure]);
    });

    test(`by those who are told of finished requests becomes a report, for ${what}`, async (t) => {
      const { port, failures } = await serve(t, { finished: fail });
      assert.deepEqual(statuses(await exchange(port, legal)), [204]);
      assert.deepEqual(failures, [failure]);
      assert.deepEqual(statuses(await exchange(port, illegal)), [400]);
      assert.deepEqual(failures, [failure, failure]);
    });
  }

  test('leaves a connection open that would have been', async (t) => {
    const { port, failures } = await serve(t, {}, fail);
    const { replies } = await exchange(port, head('GET /a HTTP/1.1', 'Host: a') + requestBytes('GET', '/b'));
    assert.deepEqual(replies.map((reply) => [reply.status, reply.headers.at(-1), reply.body]), [
      [500, 'Connection: keep-alive', problem('/a')], [500, 'Connection: close', problem('/b')],
    ]);
    assert.deepEqual(failures, [failure, failure]);
  });

  test('by node, because a reply has an illegal field, becomes a 500, also in the access log, and a report, and no byte of the reply goes out', async (t) => {
    const logged: (number | undefined)[] = [];
    const { port, failures } = await serve(t, { finished: ({ status }) => logged.push(status) }, () => emptyReply(200, ['X', 'a\r\nSet-Cookie: b']));
    const { replies } = await exchange(port, head('GET /a HTTP/1.1', 'Host: a') + requestBytes('GET', '/b'));
    assert.deepEqual(replies.map((reply) => [reply.status, reply.headers.at(-1), reply.body]), [
      [500, 'Connection: keep-alive', problem('/a')], [500, 'Connection: close', problem('/b')],
    ]);
    assert.deepEqual(failures.map((error) => error instanceof Error && 'code' in error && error.code), ['ERR_INVALID_CHAR', 'ERR_INVALID_CHAR']);
    assert.deepEqual(logged, [500, 500]);
  });

  test('by those who are told of a closed connection becomes a report', async (t) => {
    const { port, failures } = await serve(t, { dropped: fail, maxConnections: 1 });
    const idle = connect({ port, host: '127.0.0.1' });
    await once(idle, 'connect');
    assert.deepEqual(statuses(await exchange(port, requestBytes('GET', '/a'))), [204]);
    assert.deepEqual(failures, [failure]);
    idle.destroy();
  });
});

const chunkedPost = head('POST /nope HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked');

test('a refusal does not wait for a reply that left long ago', { timeout: 20_000 }, async (t) => {
  const { port } = await startService(t);
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`${chunkedPost}1\r\nx\r\n0\r\n\r\n${chunkedPost}`);
  const [first] = await once(socket, 'data');
  assert.deepEqual(parseReplies(first).map((reply) => reply.status), [404]);
  const { replies } = await exchangeOn(socket, 'z\r\n');
  assert.deepEqual(replies.map((reply) => reply.status), [400]);
});

test('malformed content is refused after the reply to the content before it', { timeout: 20_000 }, async (t) => {
  const { port } = await startService(t);
  const { replies } = await exchange(port, `${chunkedPost}1\r\nx\r\n0\r\n\r\n${chunkedPost}z\r\n`);
  assert.deepEqual(replies.map((reply) => reply.status), [404, 400]);
});

test('content without an end is refused once, however much of it comes', { timeout: 20_000 }, async (t) => {
  const { port, refusals } = await startService(t);
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const { replies } = await exchange(port, chunkedPost + chunk.repeat(20));
  assert.deepEqual([replies.map((reply) => reply.status), refusals], [[413], [413]]);
});

test('an unexpected error is the last reply on its connection where any other would be', { timeout: 20_000 }, async (t) => {
  const { port, app } = await startService(t, { now: () => Number.NaN });
  async function repliesTo(fields: readonly string[]) {
    const { replies } = await exchange(port, requestBytes('GET', '/api/greetings', fields) + requestBytes('GET', '/nope'));
    return replies.map(({ status, headers }) => [status, headers.at(-1)]);
  }
  assert.deepEqual(await repliesTo([]), [[500, 'Connection: keep-alive'], [404, 'Connection: close']]);
  assert.deepEqual(await repliesTo(['Expect: 100-continue']), [[500, 'Connection: close']]);
  app.startDraining();
  assert.deepEqual(await repliesTo([]), [[500, 'Connection: close']]);
});
