// How a connection ends: every last reply arrives, whatever else the client sends or does not read.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { Connection } from '../../src/http/connection.ts';
import { IncomingRequest } from '../../src/http/incoming-request.ts';
import { startService } from '../support/service.ts';
import { exchange, exchangeOn, parseReplies, request, requestBytes } from '../support/wire.ts';

const LONG_MS = 600_000; // longer than any test takes: what ends before that was ended by something else
const get = requestBytes('GET', '/api/greetings', []);
const close = requestBytes('GET', '/api/greetings');
const withContent = 'POST /nope HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Writes everything before it reads anything; resolves with all that comes until the server ends. */
async function writeThenRead(port: number, bytes: string): Promise<number[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.pause();
  await new Promise((resolve) => socket.write(bytes, 'latin1', resolve));
  const received = await readToEnd(socket);
  socket.destroy();
  return parseReplies(received).map(({ status }) => status);
}

async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  await once(socket, 'end');
  return Buffer.concat(chunks);
}

for (const [what, bytes, statuses] of [
  ['Connection: close', close, [200]],
  ['HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n', [200]],
  ['Upgrade', requestBytes('GET', '/health', ['Connection: Upgrade', 'Upgrade: h2c']), [200]],
  ['Expect', requestBytes('GET', '/health', ['Expect: 100-continue', 'Content-Length: 10000000']), [413]],
  ['an expectation that is met', requestBytes('GET', '/health', ['Expect: 100-continue']), [200]],
  ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', [501]],
  ['an illegal request', 'GET /health HTTP/1.1\r\n\r\n', [400]],
  ['noise', 'noise\r\n\r\n', [400]],
  ['an upload of 10 MB', requestBytes('POST', '/health', ['Content-Length: 10000000']), [413]],
  ['an upload of 10 MB in chunks', `${withContent}989680\r\n`, [413]],
  ['content, and Connection: close', 'POST /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\n12345', [404]],
] as const) {
  test(`the last reply, to ${what}, arrives when the client sends 10 MB more and reads only then`, async (t) => {
    const { port } = await startService(t, { limits: { lingerMs: LONG_MS } });
    for (let round = 0; round < 5; round++) {
      assert.deepEqual(await writeThenRead(port, get + bytes + 'x'.repeat(10_000_000)), [200, ...statuses]);
    }
  });
}

test('while the service drains, the reply to a request with 10 MB behind it arrives', async (t) => {
  const { port, app } = await startService(t, { limits: { lingerMs: LONG_MS } });
  app.startDraining();
  assert.deepEqual(await writeThenRead(port, get + 'x'.repeat(10_000_000)), [200]);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

for (const [what, before] of [
  ['two requests', get + get],
  ['a request with Expect', requestBytes('GET', '/health', ['Expect: 100-continue'])],
  ['a request with content', `${withContent}3\r\nabc\r\n0\r\n\r\n`],
  ['an illegal request', 'GET /health HTTP/1.1\r\n\r\n'],
  ['8,000 requests', get.repeat(8_000)],
] as const) {
  for (const [where, draining, redirect] of [['', false, false], [' while the service drains', true, false], [' on the redirect listener', false, true]] as const) {
    test(`a client that sends ${what} and CONNECT and leaves ends nothing but its connection${where}`, async (t) => {
      const { port, app, server } = await startService(t, { limits: { sweepMs: 10, lingerMs: 20 }, ...(redirect && { server: (one: App) => one.createRedirectServer(443) }) });
      if (draining) app.startDraining();
      for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
        for (let turns = 0; turns < 6; turns++) {
          const accepted = once(server, 'connection');
          const socket = connect({ port, host: '127.0.0.1' });
          const [connection] = await accepted;
          const closed = new Promise((resolve) => connection.once('close', resolve));
          socket.on('error', () => {}).pause();
          socket.write(`${before}CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n`);
          for (let i = 0; i < turns; i++) await turn();
          socket[leave]();
          socket.resume();
          await closed;
        }
      }
      assert.equal((await request(port, 'GET', '/api/greetings')).status, redirect ? 307 : 200);
    });
  }
}

for (const [what, last, status] of [
  ['an illegal request', 'GET /health HTTP/1.1\r\n\r\n', 400],
  ['a request with Expect', requestBytes('GET', '/health', ['Expect: 100-continue']), 200],
] as const) {
  test(`what comes after ${what} is neither answered nor logged, and a client that floods is cut off at once`, async (t) => {
    const { port, server, records } = await startService(t, { observed: true, limits: { lingerMs: LONG_MS } });
    let requests = 0;
    server.on('request', () => (requests += 1));
    const socket = connect({ port, host: '127.0.0.1' });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {}).resume(); // being cut off may reset the connection
    socket.write(last);
    const flood = Buffer.from('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(40_000));
    const send = () => { while (!socket.destroyed && socket.write(flood)); };
    socket.on('drain', send);
    send();
    await closed;
    assert.ok(requests < 10_000, `node has parsed ${requests} requests: more than it can read at a time`);
    assert.deepEqual(records.map((record) => record.status), [status]);
  });
}

test('a client that sends too much behind its last request is cut off as soon as that has its reply', async (t) => {
  const { port, server } = await startService(t, { limits: { lingerMs: LONG_MS } });
  for (const earlier of [0, 1, 3, 100]) {
    const connection = once(server, 'connection');
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const received: Buffer[] = [];
    client.on('error', () => {}).on('data', (chunk) => received.push(chunk));
    client.write(`${get.repeat(earlier)}GET /health HTTP/1.1\r\n\r\n${get.repeat(9)}`);
    const [accepted] = await connection;
    const ended = once(client, 'end');
    await once(accepted, 'close'); // the client has not ended its side
    await ended;
    const statuses = parseReplies(Buffer.concat(received)).map(({ status }) => status);
    assert.deepEqual(statuses, [...Array.from({ length: earlier }, () => 200), 400]);
    client.destroy();
  }
});

test('a connection that has ended while its last reply waited does not linger, and is not cut off', () => {
  const socket = new Socket();
  const backlog = { add() {} };
  const cutOff = { cutOff: () => assert.fail('it was cut off'), countRequest() {} };
  const connection = new Connection(socket, undefined, backlog, backlog, cutOff);
  const response = () => new ServerResponse(new IncomingRequest(socket));
  const earlier = response();
  assert.deepEqual([connection.noteRequest(earlier), connection.noteRequest(response())], [true, true]);
  connection.endWith('');
  for (let i = 0; i < 9; i++) assert.equal(connection.noteRequest(response()), false);
  socket.destroy();
  earlier.emit('finish'); // as on node 20 and 22
  assert.deepEqual([connection.isEnding, connection.isLingering], [true, false]);
});

/** A connection, and how often node has been told that the client has ended its side. */
function startConnection() {
  const socket = new Socket();
  let ends = 0;
  socket.on('end', () => {
    ends += 1;
  });
  const backlog = { add() {} };
  const connection = new Connection(socket, undefined, backlog, backlog, { cutOff() {}, countRequest() {} });
  const note = (complete: boolean) => {
    const response = new ServerResponse(Object.assign(new IncomingRequest(socket), { complete }));
    connection.noteRequest(response);
    return response;
  };
  return { socket, connection, note, ends: () => ends };
}

test('node is told that the client has ended its side when the replies to all complete requests have left', () => {
  const { socket, note, ends } = startConnection();
  const earlier = note(true);
  note(false);
  socket.emit('end');
  assert.equal(ends(), 0);
  earlier.emit('finish');
  assert.equal(ends(), 1);
});

test('node is not told that the client has ended its side when the last reply is known, or the socket destroyed', () => {
  for (const [before, expected] of [
    [() => {}, 1],
    [(connection: Connection) => connection.endWith(''), 0],
    [({ socket }: Connection) => socket.destroy(), 0],
  ] as const) {
    const { socket, connection, note, ends } = startConnection();
    const response = note(true);
    socket.emit('end');
    assert.equal(ends(), 0, 'the reply has not left');
    before(connection);
    response.emit('finish');
    assert.equal(ends(), expected);
  }
});

test('content of a request behind the last one does not keep the service from reading on', async (t) => {
  const { port, server } = await startService(t, { limits: { lingerMs: LONG_MS } });
  const connection = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  const [accepted] = await connection;
  client.write(`GET / HTTP/1.1\r\n\r\nPOST /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(50_000)}`);
  await once(client, 'end'); // the reply has come
  assert.equal(accepted.isPaused(), false);
  client.write('x'.repeat(3_000));
  client.end();
  await once(accepted, 'close');
});

test('a few requests behind the last one do not cost the client its reply', async (t) => {
  const { port, records, refusals } = await startService(t, { observed: true });
  for (const [last, status] of [['GET /health HTTP/1.1\r\n\r\n', 400], [requestBytes('GET', '/nope', ['Expect: 100-continue']), 404]] as const) {
    const { replies, ended } = await exchange(port, get + last + get.repeat(8));
    assert.deepEqual([replies.map((reply) => reply.status), ended], [[200, status], true]);
  }
  assert.deepEqual([records.map((record) => record.status), refusals], [[200, 400, 200, 404], [400]]);
});

test('the last reply of a client that floods comes after the replies to its earlier requests', async (t) => {
  const { port } = await startService(t, { limits: { lingerMs: LONG_MS } });
  const statuses = await writeThenRead(port, `${get.repeat(500)}GET /health HTTP/1.1\r\n\r\n${get.repeat(100)}`);
  assert.deepEqual(statuses.slice(0, 500), Array.from({ length: 500 }, () => 200));
  assert.deepEqual(statuses.slice(500), [400]);
});

test('content with Connection: close and more bytes behind it has one reply and one record', async (t) => {
  const { port, records, refusals } = await startService(t, { observed: true });
  const bytes = 'POST /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc';
  const { replies } = await exchange(port, `${bytes}GET / HTTP/1.1\r\n\r\n`);
  assert.deepEqual(replies.map((reply) => reply.status), [404]);
  assert.deepEqual([records.map((record) => record.status), refusals], [[404], []]);
});

test('a request whose content comes too late has one reply, even behind unread replies', async (t) => {
  const limits = { headMs: 50, requestMs: 100, sweepMs: 10, unreadMs: LONG_MS, lingerMs: LONG_MS };
  const { port, refusals, server } = await startService(t, { development: true, limits });
  const accepted = once(server, 'connection');
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
  const [connection] = await accepted;
  // Two at a time until the kernels take no more: the second reply then waits in the service, and node still reads.
  const two = requestBytes('GET', '/openapi/v1.json', []).repeat(2);
  let sent = 0;
  for (; connection.writableLength === 0; sent += 2) {
    socket.write(two);
    while (connection.bytesRead < (sent + 2) * (two.length / 2)) await turn();
  }
  const refused = new Promise((resolve) => server.once('clientError', resolve));
  socket.write('POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n');
  await refused;
  const { bytesRead } = connection;
  socket.write('12345');
  while (connection.bytesRead === bytesRead) await turn();
  const statuses = parseReplies(await readToEnd(socket)).map(({ status }) => status);
  socket.destroy();
  assert.deepEqual(statuses.slice(0, sent), Array.from({ length: sent }, () => 200));
  assert.deepEqual([statuses.slice(sent), refusals], [[408], [408]]);
});

test('a client that ends its side gets every reply that it is owed, and a request that breaks off is refused', async (t) => {
  const { port } = await startService(t);
  for (const [bytes, statuses] of [
    [get, [200]],
    [get.repeat(100), Array.from({ length: 100 }, () => 200)],
    [get.repeat(5_000), Array.from({ length: 5_000 }, () => 200)],
    ['GET /health HTTP/1.1\r\nHo', [400]],
    [`${get.repeat(5_000)}GET /health HTTP/1.1\r\nHo`, [...Array.from({ length: 5_000 }, () => 200), 400]],
    [`${withContent}3\r\nab`, [400]],
    [`${get.repeat(5_000)}${withContent}3\r\nab`, [...Array.from({ length: 5_000 }, () => 200), 400]],
    [`${withContent}3\r\nabc\r\n0\r\n\r\n`, [404]],
  ] as const) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(bytes);
    assert.deepEqual(parseReplies(await readToEnd(socket)).map(({ status }) => status), statuses);
  }
});

test('what a refused client sends on is not parsed', async (t) => {
  const { port, records } = await startService(t, { observed: true });
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write('nonsense\r\n\r\n');
  assert.deepEqual(parseReplies(await readToEnd(socket)).map((reply) => reply.status), [400]);
  socket.end(close + 'nonsense\r\n\r\n');
  await once(socket, 'close');
  assert.equal(records.length, 1);
});

test('a client that resets its connection is no error of ours', async (t) => {
  const { server, port, refusals, reported } = await startService(t);
  for (const bytes of ['', 'GET /hea', 'POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\na', 'nonsense\r\n\r\n']) {
    const connected = once(server, 'connection');
    const socket = connect({ port, host: '127.0.0.1' });
    const [accepted] = await connected;
    socket.write(bytes);
    await request(port, 'GET', '/health');
    const closed = new Promise((resolve) => accepted.on('close', resolve));
    socket.resetAndDestroy();
    await closed;
  }
  assert.deepEqual([refusals, reported], [[400], []]);
});

test('a refusal after many pipelined requests comes after all of their replies', async (t) => {
  const { port } = await startService(t);
  for (const refused of ['nonsense\r\n\r\n', 'GET /health HTTP/1.1\r\n\r\n', `${withContent}z`, 'CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n']) {
    const { replies } = await exchange(port, get.repeat(200) + refused + close);
    assert.deepEqual(replies.map((reply) => reply.status), [...Array.from({ length: 200 }, () => 200), 400]);
  }
});

test('a refusal does not wait for a reply that left long ago', async (t) => {
  const { port } = await startService(t);
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`${withContent}1\r\nx\r\n0\r\n\r\n${withContent}`);
  const [first] = await once(socket, 'data');
  assert.deepEqual(parseReplies(first).map((reply) => reply.status), [404]);
  const { replies } = await exchangeOn(socket, 'z');
  assert.deepEqual(replies.map((reply) => reply.status), [400]);
});

test('content that arrives in pieces is waited for', async (t) => {
  const { port, server } = await startService(t);
  const socket = connect({ port, host: '127.0.0.1' });
  const requested = once(server, 'request');
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nab');
  const [, response] = await requested;
  await request(port, 'GET', '/health');
  assert.equal(response.headersSent, false);
  const { replies } = await exchangeOn(socket, 'cde');
  assert.deepEqual(replies.map((reply) => [reply.body, reply.headers.at(-1)]), [['Healthy', 'Connection: close']]);
});

test('a reply to content that arrives while the service begins to drain is the last one', async (t) => {
  const { port, server, app } = await startService(t);
  const socket = connect({ port, host: '127.0.0.1' });
  const requested = once(server, 'request');
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
  await requested;
  app.startDraining();
  const { replies, ended } = await exchangeOn(socket, `cde${get}`);
  assert.deepEqual([replies.map((reply) => [reply.status, reply.headers.at(-1)]), ended], [[[503, 'Connection: keep-alive'], [200, 'Connection: close']], true]);
});

for (const trailer of ['Connection: close', 'connection: x, close', 'Proxy-Connection: close', 'Connection: keep-alive']) {
  test(`the reply to a request with the trailer ${trailer} is the last one, so that no other waits in vain`, async (t) => {
    const { port } = await startService(t);
    for (const behind of ['', get]) {
      const { replies, ended } = await exchange(port, `${get}${withContent}0\r\n${trailer}\r\n\r\n${behind}`);
      assert.deepEqual([replies.map(({ status, headers }) => [status, headers.at(-1)]), ended], [[[200, 'Connection: keep-alive'], [404, 'Connection: close']], true]);
    }
  });
}

test('a request with more than 100 trailers is the last one, because node may have dropped some; some versions of node refuse it', async (t) => {
  const { port } = await startService(t);
  for (const trailers of [`${'X: y\r\n'.repeat(101)}`, `${'X: y\r\n'.repeat(140)}Connection: close\r\n`]) {
    const { replies, ended } = await exchange(port, `${withContent}0\r\n${trailers}\r\n${get}`);
    assert.deepEqual([replies.length, replies[0]?.headers.at(-1), ended], [1, 'Connection: close', true]);
    assert.ok([404, 431].includes(replies[0]?.status ?? 0));
  }
});

test('malformed content is refused after the reply to the content before it', async (t) => {
  const { port } = await startService(t);
  const { replies } = await exchange(port, `${withContent}1\r\nx\r\n0\r\n\r\n${withContent}z`);
  assert.deepEqual(replies.map((reply) => reply.status), [404, 400]);
});

test('content without an end is refused once, however much of it comes', async (t) => {
  const { port, refusals } = await startService(t);
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const { replies } = await exchange(port, withContent + chunk.repeat(20));
  assert.deepEqual([replies.map((reply) => reply.status), refusals], [[413], [413]]);
});

test('an unexpected error is the last reply on its connection where any other would be', async (t) => {
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
