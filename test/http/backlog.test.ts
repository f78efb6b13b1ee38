import assert from 'node:assert/strict';
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { Socket, connect } from 'node:net';
import { test } from 'node:test';
import { createBacklog } from '../../src/http/backlog.ts';
import { IncomingRequest } from '../../src/http/incoming-request.ts';
import { startService } from '../support/service.ts';
import { exchange, requestBytes } from '../support/wire.ts';

const response = () => new ServerResponse(new IncomingRequest(new Socket()));

test('when more responses wait than may, the connection with the most of them is cut', async () => {
  let cuts = 0;
  const { add } = createBacklog(5, (socket) => {
    cuts += 1;
    socket.destroy();
  });
  const [few, many] = [new Socket(), new Socket()];
  for (let i = 0; i < 2; i++) add(few, response());
  for (let i = 0; i < 3; i++) add(many, response());
  assert.deepEqual([few.destroyed, many.destroyed, cuts], [false, false, 0]);
  add(few, response());
  assert.deepEqual([few.destroyed, many.destroyed, cuts], [true, false, 1], 'of two with three, the one that came first');
  for (let i = 0; i < 2; i++) add(many, response());
  assert.equal(many.destroyed, false, 'those of the other do not count any more');
  add(many, response());
  assert.deepEqual([many.destroyed, cuts], [true, 2]);
});

test('the connection with the most of them is cut whenever it came', () => {
  const { add } = createBacklog(5, (socket) => socket.destroy());
  const [few, many] = [new Socket(), new Socket()];
  for (let i = 0; i < 2; i++) add(few, response());
  for (let i = 0; i < 4; i++) add(many, response());
  assert.deepEqual([few.destroyed, many.destroyed], [false, true]);
});

test('a response that has left does not wait any more, and neither do those of a connection that has ended', async () => {
  const { add } = createBacklog(2, () => assert.fail('nothing is to be cut'));
  const socket = new Socket();
  for (let i = 0; i < 10; i++) {
    const left = response();
    add(socket, left);
    left.emit('finish');
  }
  const late = response();
  add(socket, late);
  add(socket, response());
  socket.destroy();
  await once(socket, 'close');
  late.emit('finish');
  const other = new Socket();
  add(other, response());
  add(other, response());
});

test('a request with a large head counts as several small ones', () => {
  const many = (length: number) => Array.from({ length }, () => ['X', 'y']).flat();
  for (const [count, url, rawHeaders] of [
    [1, '/', ['Host', 'a']],
    [1, '/', many(30)],
    [2, `/${'a'.repeat(4 * 1024)}`, []],
    [2, '/', ['Host', 'a', 'X', 'y'.repeat(7 * 1024)]],
    [2, '/', many(56)],
    [4, '/', ['X', 'y'.repeat(14 * 1024), ...many(56)]],
  ] as const) {
    const large = response();
    Object.assign(large.req, { url, rawHeaders });
    const cuts: number[] = [];
    const { add } = createBacklog(count - 1, (_socket, cut) => cuts.push(cut));
    const socket = new Socket();
    add(socket, large);
    assert.deepEqual(cuts, [count]);
    createBacklog(count, () => assert.fail('it counts as one more')).add(socket, large);
    const again = createBacklog(count, () => assert.fail('it counts after it has left'));
    for (let i = 0; i < 3; i++) {
      again.add(socket, large);
      large.emit('finish');
    }
  }
});

test('clients that send a few requests after their last one do not cost others their replies', async (t) => {
  const { port, server, dropped } = await startService(t, { limits: { maxBacklog: 50, lingerMs: 86_400_000 } });
  const get = requestBytes('GET', '/health', []);
  for (const earlier of [0, 2]) {
    for (let i = 0; i < 10; i++) {
      const accepted = once(server, 'connection');
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
      client.write(`${get.repeat(earlier)}GET / HTTP/1.1\r\n\r\n${get.repeat(8)}`);
      t.after(() => client.destroy());
      await Promise.all([accepted, once(client, 'end')]); // it lingers
    }
  }
  const { replies } = await exchange(port, get.repeat(40) + requestBytes('GET', '/health'));
  assert.equal(replies.length, 41);
  assert.deepEqual(new Set(dropped), new Set(['backlog']));
});

test('a client that lets too many replies wait is cut, and others get theirs', async (t) => {
  const { port, server, dropped } = await startService(t, { limits: { maxBacklog: 100 } });
  const accepted = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume();
  const [connection] = await accepted;
  const closed = new Promise((resolve) => connection.once('close', resolve));
  client.write(requestBytes('GET', '/api/greetings', []).repeat(102)); // one goes out at once
  await closed;
  assert.deepEqual(dropped, ['backlog']);
  const { replies } = await exchange(port, requestBytes('GET', '/health', []).repeat(50) + requestBytes('GET', '/health'));
  assert.equal(replies.length, 51);
});
